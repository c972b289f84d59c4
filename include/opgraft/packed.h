// Elements smaller than a byte, which tensors hold as a stream of bits, the first element in the lowest bits.
//
// Source of the layout: ONNX's TensorProto (int4, uint4, float4e2m1, int2, uint2, and 6 bits for the float6 types).
#ifndef OPGRAFT_PACKED_H_
#define OPGRAFT_PACKED_H_

#include <cstdint>
#include <vector>

#include "opgraft/dtype.h"

namespace opgraft OG_HIDDEN {

inline bool is_packed(int32_t dtype) { return dtype_bits(dtype) > 0 && dtype_bits(dtype) < 8; }

// One element a byte, its bits at the bottom, zeros above.
inline std::vector<uint8_t> unpack_elements(const uint8_t* from, int64_t count, int bits) {
  std::vector<uint8_t> elements(static_cast<size_t>(count));
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0, at = 0; i < count; ++i, at += bits) {
    const int64_t byte = at / 8, shift = at % 8;
    unsigned value = from[byte];
    if (shift + bits > 8) value |= static_cast<unsigned>(from[byte + 1]) << 8;
    elements[static_cast<size_t>(i)] = static_cast<uint8_t>(value >> shift & mask);
  }
  return elements;
}

// The reverse; bits behind the last element are zero.
inline void pack_elements(const std::vector<uint8_t>& elements, int bits, uint8_t* to) {
  const unsigned mask = (1u << bits) - 1;
  unsigned pending = 0;
  int held = 0;
  for (const uint8_t element : elements) {
    pending |= (element & mask) << held;
    held += bits;
    if (held < 8) continue;
    *to++ = static_cast<uint8_t>(pending);
    pending >>= 8;
    held -= 8;
  }
  if (held > 0) *to = static_cast<uint8_t>(pending);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_PACKED_H_
