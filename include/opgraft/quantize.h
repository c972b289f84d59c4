// What quantizing operators share: how scales and zero points spread over a tensor, and its numbers as doubles.
#ifndef OPGRAFT_QUANTIZE_H_
#define OPGRAFT_QUANTIZE_H_

#include <string>
#include <vector>

#include "opgraft/axes.h"
#include "opgraft/narrow.h"
#include "opgraft/pointwise.h"

namespace opgraft OG_HIDDEN {

// Which scale belongs to an element: one for all, one for each index along an axis, or one for each block along it.
struct ScaleSpread {
  int64_t outer = 1, size = 1, inner = 1;  // of the tensor around the axis
  int64_t scales = 1, block = 0;           // entries along the axis; elements of a block
  bool whole = true;                       // one scale for all

  int64_t at(int64_t o, int64_t k, int64_t i) const {
    if (whole) return 0;
    return block ? (o * scales + k / block) * inner + i : k;
  }
};

inline ScaleSpread scale_spread(const Node& node, const Dims& x, const Dims& scale) {
  ScaleSpread s;
  const int64_t block = node.get("block_size", int64_t(0));
  if (block < 0) fail("block_size is " + std::to_string(block));
  int64_t numel = 1;
  for (const int64_t dim : x) numel *= dim;
  if (block == 0 && (scale.empty() || (scale.size() == 1 && scale[0] == 1))) {
    s.size = numel;
    return s;
  }
  if (x.empty()) fail("a scalar has one scale");
  const auto axis = static_cast<size_t>(normalize_axis(node.get("axis", int64_t(1)), static_cast<int64_t>(x.size())));
  for (size_t i = 0; i < axis; ++i) s.outer *= x[i];
  s.size = x[axis];
  for (size_t i = axis + 1; i < x.size(); ++i) s.inner *= x[i];
  s.whole = false;
  if (block == 0) {
    if (scale.size() != 1 || scale[0] != s.size)
      fail("scale " + to_string(scale) + " must be [" + std::to_string(s.size) + "], the size of axis " +
           std::to_string(axis));
    s.scales = s.size;
    return s;
  }
  s.block = block;
  s.scales = (s.size + block - 1) / block;
  Dims wanted = x;
  wanted[axis] = s.scales;
  if (scale != wanted)
    fail("scale " + to_string(scale) + " must be " + to_string(wanted) + " for blocks of " + std::to_string(block));
  return s;
}

// The numbers of a tensor of any numeric type.
inline std::vector<double> as_doubles(const Tensor& x) {
  std::vector<double> values(static_cast<size_t>(x.numel()));
  const auto fill = [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat_t>)
        values[i] = static_cast<double>(static_cast<float>(x.data<T>()[i]));
      else
        values[i] = static_cast<double>(x.data<T>()[i]);
    }
  };
  const int32_t type = x.dtype();
  switch (type) {
    case f32:
      fill(float{});
      return values;
    case f64:
      fill(double{});
      return values;
    case f16:
      fill(half_t{});
      return values;
    case bf16:
      fill(bfloat_t{});
      return values;
    case i8:
      fill(int8_t{});
      return values;
    case u8:
      fill(uint8_t{});
      return values;
    case i16:
      fill(int16_t{});
      return values;
    case u16:
      fill(uint16_t{});
      return values;
    case i32:
      fill(int32_t{});
      return values;
    case u32:
      fill(uint32_t{});
      return values;
    case i64:
      fill(int64_t{});
      return values;
    default:
      break;
  }
  std::vector<uint8_t> codes;
  if (is_packed(type))
    codes = unpack_elements(x);
  else
    codes.assign(x.data<uint8_t>(), x.data<uint8_t>() + x.numel());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = is_mini_float(type)      ? decode_mini_float(mini_float(type), codes[i])
                : is_small_integer(type) ? static_cast<double>(decode_small_integer(type, codes[i]))
                : type == f8e8m0         ? decode_scale(codes[i])
                                         : static_cast<double>(codes[i]);
  return values;
}

// Range of an integer type that numbers are quantized to.
inline std::pair<double, double> integer_range(int32_t type) {
  const int bits = dtype_bits(type);
  const bool has_sign = type == i2 || type == i4 || type == i8 || type == i16 || type == i32;
  return has_sign ? std::pair<double, double>{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1}
                  : std::pair<double, double>{0.0, std::ldexp(1.0, bits) - 1};
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_QUANTIZE_H_
