// Mathematics for loops that vectorise: branch-free exp, expm1, log, log1p, sin and cos of float, for use inside
// vectorize().
//
//   vectorize([=](auto level) OG_SIMD {
//     for (int64_t i = 0; i < n; ++i) y[i] = x[i] * simd::exp(level, -x[i]);
//   });
//
// The first argument says whether the CPU level multiplies and adds in one instruction. Errors are at most a few units
// in the last place; infinities and NaN behave as in <cmath>. Overloads for double call <cmath> and do not vectorise.
// Polynomials are minimax fits. No state; thread-safe.
#ifndef OPGRAFT_SIMD_H_
#define OPGRAFT_SIMD_H_

#include <cmath>
#include <cstdint>
#include <cstring>

#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {
namespace simd {

inline OG_SIMD uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
inline OG_SIMD float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

template <class Level>
inline OG_SIMD float multiply_add(Level, float a, float b, float c) {
  if constexpr (Level::fused)
    return __builtin_fmaf(a, b, c);
  else
    return a * b + c;
}

// 2^n for n in [-127, 127]; -127 gives 0. Any other n gives some number.
inline OG_SIMD float power_of_two(int32_t n) { return float_of((static_cast<uint32_t>(n) + 127u) << 23); }

// Adding 1.5 * 2^23 rounds to the nearest integer, which then stands in the low bits.
inline constexpr float kRoundMagic = 12582912.0f;

namespace detail {

// e^x = 2^n * (1 + q), |q| < 0.42: returns q and n.
template <class Level>
inline OG_SIMD float exp_reduced(Level level, float x, int32_t& n) {
  const float shifted = multiply_add(level, x, 1.44269504f, kRoundMagic);
  n = static_cast<int32_t>(bits_of(shifted) - bits_of(kRoundMagic));
  const float whole = shifted - kRoundMagic;
  // ln(2) in two parts, the first with few enough bits that its product is exact.
  const float r = multiply_add(level, whole, 2.12194440e-4f, multiply_add(level, whole, -0.693359375f, x));
  float p = 0.00138145406f;
  p = multiply_add(level, p, r, 0.00836874545f);
  p = multiply_add(level, p, r, 0.041668389f);
  p = multiply_add(level, p, r, 0.166665211f);
  p = multiply_add(level, p, r, 0.49999994f);
  return multiply_add(level, p, r * r, r);
}

}  // namespace detail

template <class Level>
inline OG_SIMD float exp(Level level, float x) {
  float limited = x < -104.0f ? -104.0f : x;
  limited = limited > 89.0f ? 89.0f : limited;
  int32_t n;
  const float p = detail::exp_reduced(level, limited, n) + 1.0f;
  const int32_t half = n >> 1;  // in two steps, so that results down to the smallest subnormal are reached
  return p * power_of_two(half) * power_of_two(n - half);
}

// e^x for x <= 0, a little faster: results below the smallest normal number become 0.
template <class Level>
inline OG_SIMD float exp_neg(Level level, float x) {
  const float limited = x < -88.0f ? -88.0f : x;
  int32_t n;
  const float p = detail::exp_reduced(level, limited, n) + 1.0f;
  return p * power_of_two(n);
}

// e^x - 1 for x <= 0, also near zero.
template <class Level>
inline OG_SIMD float expm1_neg(Level level, float x) {
  const float limited = x < -88.0f ? -88.0f : x;
  int32_t n;
  const float q = detail::exp_reduced(level, limited, n);
  const float scale = power_of_two(n);
  return multiply_add(level, scale, q, scale - 1.0f);
}

template <class Level>
inline OG_SIMD float log(Level level, float x) {
  const bool tiny = x < 1.17549435e-38f;
  const float scaled = tiny ? x * 8388608.0f : x;
  const uint32_t bits = bits_of(scaled);
  // Mantissa in [sqrt(1/2), sqrt(2)).
  const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;
  const float m = float_of(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
  const float e = static_cast<float>(exponent - (tiny ? 23 : 0));
  const float square = m * m;
  float p = 0.0674550459f;
  p = multiply_add(level, p, m, -0.116760977f);
  p = multiply_add(level, p, m, 0.11888884f);
  p = multiply_add(level, p, m, -0.124055773f);
  p = multiply_add(level, p, m, 0.142194614f);
  p = multiply_add(level, p, m, -0.166679934f);
  p = multiply_add(level, p, m, 0.200021222f);
  p = multiply_add(level, p, m, -0.250000089f);
  p = multiply_add(level, p, m, 0.333333135f);
  p = p * square * m;
  p = multiply_add(level, e, -2.12194440e-4f, p);
  p = multiply_add(level, square, -0.5f, p) + m;
  p = multiply_add(level, e, 0.693359375f, p);
  p = x > 0.0f ? p : x == 0.0f ? -HUGE_VALF : NAN;
  return x < HUGE_VALF ? p : x;  // +inf and NaN stay
}

// log(1 + x), also for x near zero.
template <class Level>
inline OG_SIMD float log1p(Level level, float x) {
  const float sum = 1.0f + x;
  const float lost = x - (sum - 1.0f);
  const float result = log(level, sum) + lost / sum;
  return sum < HUGE_VALF && sum > 0.0f ? result : log(level, sum);
}

// Largest |x| for which sin and cos keep their accuracy; reduce larger arguments otherwise, or use <cmath>.
inline constexpr float kSineRange = 8192.0f;

namespace detail {

// sin(x + quarters * pi / 2).
template <class Level>
inline OG_SIMD float sine(Level level, float x, uint32_t quarters) {
  const float shifted = multiply_add(level, x, 0.636619772f, kRoundMagic);
  const uint32_t n = bits_of(shifted) - bits_of(kRoundMagic) + quarters;
  const float whole = shifted - kRoundMagic;
  // pi / 2 in parts of few bits: their products with `whole` are exact up to the last.
  float r = multiply_add(level, whole, -1.5703125f, x);
  r = multiply_add(level, whole, -4.83751297e-4f, r);
  r = multiply_add(level, whole, -7.54953362e-8f, r);
  r = multiply_add(level, whole, -2.56334407e-12f, r);
  const float t = r * r;
  float s = 2.71804652e-06f;
  s = multiply_add(level, s, t, -0.000198393042f);
  s = multiply_add(level, s, t, 0.00833332911f);
  s = multiply_add(level, s, t, -0.166666672f);
  s = multiply_add(level, s * t, r, r);
  float c = 2.44324128e-05f;
  c = multiply_add(level, c, t, -0.00138873095f);
  c = multiply_add(level, c, t, 0.0416666456f);
  c = multiply_add(level, c, t, -0.5f);
  c = multiply_add(level, c, t, 1.0f);
  const float value = (n & 1u) != 0 ? c : s;
  return float_of(bits_of(value) ^ ((n & 2u) << 30));
}

}  // namespace detail

template <class Level>
inline OG_SIMD float sin(Level level, float x) {
  return detail::sine(level, x, 0);
}
template <class Level>
inline OG_SIMD float cos(Level level, float x) {
  return detail::sine(level, x, 1);
}

template <class Level>
inline double exp(Level, double x) {
  return std::exp(x);
}
template <class Level>
inline double exp_neg(Level, double x) {
  return std::exp(x);
}
template <class Level>
inline double expm1_neg(Level, double x) {
  return std::expm1(x);
}
template <class Level>
inline double log(Level, double x) {
  return std::log(x);
}
template <class Level>
inline double log1p(Level, double x) {
  return std::log1p(x);
}
template <class Level>
inline double sin(Level, double x) {
  return std::sin(x);
}
template <class Level>
inline double cos(Level, double x) {
  return std::cos(x);
}

}  // namespace simd
}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SIMD_H_
