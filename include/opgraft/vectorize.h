// Plain loops compiled once per CPU level: `vectorize([&]() OG_SIMD { for (...) ... });`.
//
// The lambda is inlined into functions for AVX-512, AVX2 and the baseline; the level in force (OPGRAFT_CPU) chooses.
// A lambda that takes one argument, `[&](auto level) OG_SIMD`, gets what the level can do, for the functions of simd.h.
// Write branch-free loops over contiguous data; functions called inside must be inlined too. Copy pointers and sizes
// into locals before the loop when it stores bytes or 64-bit integers, which may alias what the lambda captured.
// Thread-safe.
#ifndef OPGRAFT_VECTORIZE_H_
#define OPGRAFT_VECTORIZE_H_

#include <type_traits>

#include "opgraft/context.h"

// Marks the lambda given to vectorize().
#define OG_SIMD __attribute__((always_inline))

namespace opgraft OG_HIDDEN {

// What a CPU level can do: `fused` = multiply-add in one instruction.
template <bool Fused>
struct SimdLevel {
  static constexpr bool fused = Fused;
};

namespace detail {

inline int simd_level() {
  static const int level = host->cpu_level();
  return level;
}

#if defined(__aarch64__) || defined(__FMA__)
using BaselineLevel = SimdLevel<true>;
#else
using BaselineLevel = SimdLevel<false>;
#endif

template <class Level, class F>
inline OG_SIMD void call_at_level(const F& body) {
  if constexpr (std::is_invocable_v<const F&, Level>)
    body(Level{});
  else
    body();
}

#if defined(__x86_64__)
template <class F>
__attribute__((target("avx2,fma,f16c"))) void run_avx2(const F& body) {
  call_at_level<SimdLevel<true>>(body);
}
template <class F>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c"))) void run_avx512(const F& body) {
  call_at_level<SimdLevel<true>>(body);
}
#endif

}  // namespace detail

template <class F>
void vectorize(const F& body) {
#if defined(__x86_64__)
  if (detail::simd_level() >= 2) return detail::run_avx512(body);
  if (detail::simd_level() == 1) return detail::run_avx2(body);
#endif
  detail::call_at_level<detail::BaselineLevel>(body);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_VECTORIZE_H_
