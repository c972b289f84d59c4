// Axes, dims and strided copies for operators that move elements.
#ifndef OPGRAFT_AXES_H_
#define OPGRAFT_AXES_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/op.h"

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

// Calls fn(zero of an unsigned type of that size); 16 bytes as a pair.
struct Bytes16 {
  uint64_t low, high;
};
template <class F>
void by_size(int bytes, F&& fn) {
  switch (bytes) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    case 16:
      return fn(Bytes16{});
    default:
      fail("elements of " + std::to_string(bytes) + " bytes cannot be moved here");
  }
}

inline int element_bytes(const Tensor& tensor) { return dtype_bits(tensor.dtype()) / 8; }

// y, row-major with `dims`, gets x[offset + sum(index * steps)]; axes that move together are merged first.
template <class T>
void gather_strided(const Run& r, const T* x, T* y, const Dims& dims, const std::vector<int64_t>& steps) {
  Dims merged;
  std::vector<int64_t> moves;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0) return;
    if (dims[axis] == 1) continue;
    if (!merged.empty() && moves.back() == steps[axis] * dims[axis]) {
      merged.back() *= dims[axis];
      moves.back() = steps[axis];
    } else {
      merged.push_back(dims[axis]);
      moves.push_back(steps[axis]);
    }
  }
  if (merged.empty()) {
    *y = *x;
    return;
  }
  const int64_t inner = merged.back(), step = moves.back();
  int64_t outer = 1;
  for (size_t axis = 0; axis + 1 < merged.size(); ++axis) outer *= merged[axis];
  const size_t last = merged.size() - 1;
  // Two innermost axes swapped: blocks that stay in cache.
  if (merged.size() >= 2 && step != 1 && moves[last - 1] == 1) {
    const int64_t rows = merged[last - 1];
    const int64_t planes = outer / rows;
    constexpr int64_t kBlock = 16;
    const int64_t bands = (rows + kBlock - 1) / kBlock;
    r.parallel_for(planes * bands, std::max<int64_t>(1, 8192 / (kBlock * inner)), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        int64_t index = item / bands, offset = 0;
        const int64_t first = item % bands * kBlock, count = std::min(kBlock, rows - first);
        const int64_t out = item / bands * rows * inner;
        for (size_t axis = last - 1; axis-- > 0;) {
          offset += index % merged[axis] * moves[axis];
          index /= merged[axis];
        }
        for (int64_t j0 = 0; j0 < inner; j0 += kBlock)
          for (int64_t i = first; i < first + count; ++i)
            for (int64_t j = j0; j < std::min(inner, j0 + kBlock); ++j)
              y[out + i * inner + j] = x[offset + i + j * step];
      }
    });
    return;
  }
  r.parallel_for(outer, std::max<int64_t>(1, 16384 / inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = i, offset = 0;
      for (size_t axis = last; axis-- > 0;) {
        offset += index % merged[axis] * moves[axis];
        index /= merged[axis];
      }
      const T* from = x + offset;
      T* to = y + i * inner;
      if (step == 1)
        std::memcpy(static_cast<void*>(to), from, static_cast<size_t>(inner) * sizeof(T));
      else if (step == 0)
        std::fill(to, to + inner, *from);
      else
        for (int64_t j = 0; j < inner; ++j) to[j] = from[j * step];
    }
  });
}

// The same for strings, which are copied one by one.
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

// Moves elements of input 0 to output 0, whatever their type.
inline void move_elements(Run& r, const Dims& dims, const std::vector<int64_t>& steps, int64_t offset = 0) {
  const Tensor output = r.output(0, dims);
  if (r.dtype(0) == str) return gather_strings(r, dims, steps, offset);
  by_size(element_bytes(r.input(0)), [&](auto zero) {
    using T = decltype(zero);
    gather_strided(r, r.in<T>(0) + offset, output.data<T>(), dims, steps);
  });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_AXES_H_
