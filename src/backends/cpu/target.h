// Which instruction sets the kernels are compiled for (AVX-512, AVX2, the compiler's baseline), and the choice among
// them. Include before hwy/foreach_target.h; nothing here or behind it needs the Highway library.
#ifndef OPGRAFT_BACKENDS_CPU_TARGET_H_
#define OPGRAFT_BACKENDS_CPU_TARGET_H_

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include "hwy/detect_targets.h"

#if HWY_TARGETS & HWY_AVX3
#define OG_CPU_PICK_AVX512(function, level) \
  if ((level) >= 2) return N_AVX3::function();
#else
#define OG_CPU_PICK_AVX512(function, level)
#endif

#if HWY_TARGETS & HWY_AVX2
#define OG_CPU_PICK_AVX2(function, level) \
  if ((level) >= 1) return N_AVX2::function();
#else
#define OG_CPU_PICK_AVX2(function, level)
#endif

// Returns function() of the namespace that belongs to a level of services.h. Used under HWY_ONCE.
#define OG_CPU_PICK(function, level)  \
  OG_CPU_PICK_AVX512(function, level) \
  OG_CPU_PICK_AVX2(function, level)   \
  (void)(level);                      \
  return HWY_STATIC_DISPATCH(function)()

#endif  // OPGRAFT_BACKENDS_CPU_TARGET_H_
