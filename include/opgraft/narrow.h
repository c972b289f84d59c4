// Numbers of 8 bits and less: floats of 8, 6 and 4 bits, scales that are powers of two, integers of 4 and 2 bits.
//
// Sources: OCP 8-bit Floating Point Specification (E4M3FN, E5M2), Graphcore/AMD's FNUZ forms, OCP Microscaling Formats
// (E2M3, E3M2, E2M1, E8M0), and ONNX's tables for Cast and QuantizeLinear. Rounding is to nearest, ties to even.
#ifndef OPGRAFT_NARROW_H_
#define OPGRAFT_NARROW_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

enum class Specials { infinities, nan_only, unsigned_zero, none };

struct MiniFloat {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;

  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr unsigned sign() const { return 1u << (exponent_bits + mantissa_bits); }
  double largest() const {
    const int top = (1 << exponent_bits) - 1 - bias - (specials == Specials::infinities ? 1 : 0);
    const double mantissa = 2.0 - std::ldexp(specials == Specials::nan_only ? 2.0 : 1.0, -mantissa_bits);
    return std::ldexp(mantissa, top);
  }
};

inline bool is_mini_float(int32_t type) {
  return (type >= f8e4m3fn && type <= f8e5m2fnuz) || type == f4e2m1 || type == f6e2m3 || type == f6e3m2;
}
inline MiniFloat mini_float(int32_t type) {
  switch (type) {
    case f8e4m3fn:
      return {4, 3, 7, Specials::nan_only};
    case f8e4m3fnuz:
      return {4, 3, 8, Specials::unsigned_zero};
    case f8e5m2:
      return {5, 2, 15, Specials::infinities};
    case f8e5m2fnuz:
      return {5, 2, 16, Specials::unsigned_zero};
    case f6e2m3:
      return {2, 3, 1, Specials::none};
    case f6e3m2:
      return {3, 2, 3, Specials::none};
    default:
      return {2, 1, 1, Specials::none};
  }
}

inline double decode_mini_float(const MiniFloat& f, unsigned code) {
  const bool negative = code & f.sign();
  const unsigned low = code & (f.sign() - 1), mantissa = low & ((1u << f.mantissa_bits) - 1);
  const int exponent = static_cast<int>(low >> f.mantissa_bits), top = (1 << f.exponent_bits) - 1;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (f.specials == Specials::unsigned_zero && code == f.sign()) return kNaN;
  if (f.specials == Specials::nan_only && low == f.sign() - 1) return negative ? -kNaN : kNaN;
  if (f.specials == Specials::infinities && exponent == top) {
    if (mantissa) return negative ? -kNaN : kNaN;
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  const double value =
      exponent == 0 ? std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa_bits)
                    : std::ldexp(1.0 + std::ldexp(static_cast<double>(mantissa), -f.mantissa_bits), exponent - f.bias);
  return negative ? -value : value;
}

// saturate: what is too large becomes the largest number, else an infinity or NaN where the format has one.
inline unsigned encode_mini_float(const MiniFloat& f, double x, bool saturate) {
  const bool unsigned_zero = f.specials == Specials::unsigned_zero;
  const unsigned sign = std::signbit(x) ? f.sign() : 0;
  const unsigned infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  if (x != x) {
    if (f.specials == Specials::none) return f.sign();
    if (unsigned_zero) return f.sign();
    return sign | (f.specials == Specials::nan_only ? f.sign() - 1 : infinity | (1u << (f.mantissa_bits - 1)));
  }
  const int least = 1 - f.bias;
  double size = std::fabs(x);
  if (size != 0 && size < HUGE_VAL) {
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(size), least) - f.mantissa_bits);
    size = std::nearbyint(size / quantum) * quantum;
  }
  const double largest = f.largest();
  if (size > largest) {
    if (!saturate && f.specials != Specials::none) {
      if (unsigned_zero) return f.sign();
      return sign | (f.specials == Specials::nan_only ? f.sign() - 1 : infinity);
    }
    size = largest;
  }
  if (size == 0) return unsigned_zero ? 0 : sign;
  const int exponent = std::ilogb(size);
  if (exponent < least) return sign | static_cast<unsigned>(std::ldexp(size, f.mantissa_bits - least));
  const auto mantissa = static_cast<unsigned>(std::ldexp(size, f.mantissa_bits - exponent)) - (1u << f.mantissa_bits);
  return sign | static_cast<unsigned>(exponent + f.bias) << f.mantissa_bits | mantissa;
}

// Powers of two from 2^-127 to 2^127; 255 is NaN.
enum class ScaleRounding { up, down, nearest };
inline double decode_scale(unsigned code) {
  return code == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(code) - 127);
}
inline unsigned encode_scale(double x, bool saturate, ScaleRounding rounding) {
  if (x != x) return 255;
  x = std::fabs(x);
  if (x == HUGE_VAL) return saturate ? 254 : 255;
  if (x == 0) return saturate ? 0 : 255;
  int exponent = std::ilogb(x);
  const double part = std::ldexp(x, -exponent);  // in [1, 2)
  if (rounding == ScaleRounding::up ? part > 1 : rounding == ScaleRounding::nearest ? part >= 1.5 : false) ++exponent;
  if (exponent > 127) return saturate ? 254 : 255;
  if (exponent < -127) return saturate ? 0 : 255;
  return static_cast<unsigned>(exponent + 127);
}

inline bool is_small_integer(int32_t type) { return type == u4 || type == i4 || type == u2 || type == i2; }
inline int64_t decode_small_integer(int32_t type, unsigned code) {
  const int bits = dtype_bits(type);
  const bool negative = (type == i4 || type == i2) && (code >> (bits - 1) & 1);
  return static_cast<int64_t>(code) - (negative ? int64_t(1) << bits : 0);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_NARROW_H_
