// Plain loops compiled once per CPU level: `vectorize([&]() OG_SIMD { for (...) ... });`.
//
// The lambda is inlined into functions for AVX-512, AVX2 and the baseline; the level in force (OPGRAFT_CPU) chooses.
// Write branch-free loops over contiguous data; functions called inside must be inlined too. Thread-safe.
#ifndef OPGRAFT_VECTORIZE_H_
#define OPGRAFT_VECTORIZE_H_

#include "opgraft/context.h"

// Marks the lambda given to vectorize().
#define OG_SIMD __attribute__((always_inline))

namespace opgraft OG_HIDDEN {
namespace detail {

inline int simd_level() {
  static const int level = host->cpu_level();
  return level;
}

#if defined(__x86_64__)
template <class F>
__attribute__((target("avx2,fma,f16c"))) void run_avx2(const F& body) {
  body();
}
template <class F>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c"))) void run_avx512(const F& body) {
  body();
}
#endif

}  // namespace detail

template <class F>
void vectorize(const F& body) {
#if defined(__x86_64__)
  if (detail::simd_level() >= 2) return detail::run_avx512(body);
  if (detail::simd_level() == 1) return detail::run_avx2(body);
#endif
  body();
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_VECTORIZE_H_
