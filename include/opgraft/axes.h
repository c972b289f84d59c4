// Axes and dims of operators that move elements, and copies for any element type, strings included.
#ifndef OPGRAFT_AXES_H_
#define OPGRAFT_AXES_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/copy.h"
#include "opgraft/op.h"
#include "opgraft/packed.h"

namespace opgraft OG_HIDDEN {

// Counts negative axes from the end, checks range and that none is named twice; the order is kept.
inline std::vector<int64_t> normalize_axes(std::vector<int64_t> axes, int64_t ndim) {
  std::vector<char> seen(static_cast<size_t>(ndim), 0);
  for (auto& axis : axes) {
    axis = normalize_axis(axis, ndim, "axes");
    if (seen[static_cast<size_t>(axis)]++) fail("axes names axis " + std::to_string(axis) + " twice");
  }
  return axes;
}

inline std::vector<int64_t> row_major_strides(const Dims& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= dims[i];
  }
  return strides;
}

inline int element_bytes(const Tensor& tensor) { return dtype_bits(tensor.dtype()) / 8; }

// Indices along one axis of `size` elements may be negative; fails when one is out of range.
template <class I>
void check_indices(const I* indices, int64_t count, int64_t axis, int64_t size) {
  int bad = 0;
  vectorize([&]() OG_SIMD {
    const I* p = indices;
    const int64_t n = count, high = size;
    int found = 0;
    for (int64_t i = 0; i < n; ++i) found |= (p[i] < -high) | (p[i] >= high);
    bad = found;
  });
  if (!bad) return;
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < -size || indices[i] >= size)
      fail("index " + std::to_string(indices[i]) + " is out of range for axis " + std::to_string(axis) + " of size " +
           std::to_string(size));
}

// gather_strided for strings, which are copied one by one.
inline void gather_strings(Run& r, const Dims& dims, const std::vector<int64_t>& steps, int64_t offset) {
  int64_t total = 1;
  for (int64_t dim : dims) total *= dim;
  for (int64_t i = 0; i < total; ++i) {
    int64_t index = i, from = offset;
    for (size_t axis = dims.size(); axis-- > 0;) {
      from += index % dims[axis] * steps[axis];
      index /= dims[axis];
    }
    r.set_string(0, i, r.string(0, from));
  }
}

// Elements of tensors that are smaller than a byte (packed.h).
inline std::vector<uint8_t> unpack_elements(const Tensor& x) {
  return unpack_elements(x.data<uint8_t>(), x.numel(), dtype_bits(x.dtype()));
}
inline void pack_elements(const std::vector<uint8_t>& elements, const Tensor& y) {
  pack_elements(elements, dtype_bits(y.dtype()), y.data<uint8_t>());
}

// Moves elements of input 0 to output 0, whatever their type.
inline void move_elements(Run& r, const Dims& dims, const std::vector<int64_t>& steps, int64_t offset = 0) {
  const Tensor output = r.output(0, dims);
  if (r.dtype(0) == str) return gather_strings(r, dims, steps, offset);
  if (is_packed(r.dtype(0))) {
    const std::vector<uint8_t> from = unpack_elements(r.input(0));
    std::vector<uint8_t> to(static_cast<size_t>(output.numel()));
    gather_strided(r, from.data() + offset, to.data(), dims, steps);
    return pack_elements(to, output);
  }
  by_size(element_bytes(r.input(0)), [&](auto zero) {
    using T = decltype(zero);
    gather_strided(r, r.in<T>(0) + offset, output.data<T>(), dims, steps);
  });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_AXES_H_
