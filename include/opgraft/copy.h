// Copies of strided memory: rows, transposed tiles and whole tensors read through steps, in parallel.
//
// Elements are moved as unsigned integers of their size. Outputs must not overlap inputs. Thread-safe; nothing throws
// inside parallel bodies.
#ifndef OPGRAFT_COPY_H_
#define OPGRAFT_COPY_H_

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "opgraft/context.h"
#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {

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

// Calls fn(count) with small counts as compile-time constants, so that copies of them become a few instructions.
template <class F>
void with_fixed_count(int64_t count, F&& fn) {
  switch (count) {
#define OG_FIXED_COUNT(n) \
  case n:                 \
    return fn(std::integral_constant<int64_t, n>{});
    OG_FIXED_COUNT(1)
    OG_FIXED_COUNT(2)
    OG_FIXED_COUNT(3)
    OG_FIXED_COUNT(4)
    OG_FIXED_COUNT(8)
    OG_FIXED_COUNT(12)
    OG_FIXED_COUNT(16)
    OG_FIXED_COUNT(32)
#undef OG_FIXED_COUNT
    default:
      return fn(count);
  }
}

// Copies `rows` rows of `bytes` bytes whose starts are `from_step` and `to_step` bytes apart.
inline void copy_rows(const Run& r, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows,
                      int64_t bytes) {
  constexpr int64_t kGrainBytes = 131072;
  if (rows <= 0 || bytes <= 0) return;
  if (bytes >= 4096) {  // few long rows are cut as well
    r.parallel_for(rows * bytes, kGrainBytes, [=](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t row = begin / bytes, at = begin % bytes, count = std::min(bytes - at, end - begin);
        std::memcpy(to + row * to_step + at, from + row * from_step + at, static_cast<size_t>(count));
        begin += count;
      }
    });
    return;
  }
  with_fixed_count(bytes, [&](auto count) {
    r.parallel_for(rows, std::max<int64_t>(1, kGrainBytes / (bytes + 16)), [=](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        std::memcpy(to + row * to_step, from + row * from_step, static_cast<size_t>(int64_t(count)));
    });
  });
}

// Row i of y, `bytes` long and packed, is the row of x that begins `offsets[i]` bytes in. Repeated for `outer` planes
// of x, `plane` bytes apart.
inline void copy_picked_rows(const Run& r, char* y, const char* x, int64_t outer, int64_t plane,
                             const std::vector<int64_t>& offsets, int64_t bytes) {
  const auto count = static_cast<int64_t>(offsets.size());
  const int64_t* picks = offsets.data();
  if (count == 0 || bytes == 0) return;
  with_fixed_count(bytes, [&](auto size) {
    r.parallel_for(outer * count, std::max<int64_t>(1, 131072 / (bytes + 16)), [=](int64_t begin, int64_t end) {
      int64_t o = begin / count, i = begin % count;
      for (int64_t item = begin; item < end; ++o, i = 0) {
        const char* from = x + o * plane;
        for (; i < count && item < end; ++i, ++item)
          std::memcpy(y + item * bytes, from + picks[i], static_cast<size_t>(int64_t(size)));
      }
    });
  });
}

namespace detail {

// A square block of 16-byte rows, transposed; steps in bytes.
template <int Bytes>
inline void transpose_block(const char* from, int64_t from_step, char* to, int64_t to_step) {
  constexpr int kCount = 16 / Bytes;
#if defined(__SSE2__)
  __m128i a[kCount], b[kCount];
  for (int k = 0; k < kCount; ++k) a[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k * from_step));
  // Interleaving the first with the second half as often as halving ends transposes.
  for (int round = 1; round < kCount; round *= 2) {
    for (int k = 0; k < kCount / 2; ++k) {
      const __m128i low = a[k], high = a[k + kCount / 2];
      if constexpr (Bytes == 1) {
        b[2 * k] = _mm_unpacklo_epi8(low, high);
        b[2 * k + 1] = _mm_unpackhi_epi8(low, high);
      } else if constexpr (Bytes == 2) {
        b[2 * k] = _mm_unpacklo_epi16(low, high);
        b[2 * k + 1] = _mm_unpackhi_epi16(low, high);
      } else if constexpr (Bytes == 4) {
        b[2 * k] = _mm_unpacklo_epi32(low, high);
        b[2 * k + 1] = _mm_unpackhi_epi32(low, high);
      } else {
        b[2 * k] = _mm_unpacklo_epi64(low, high);
        b[2 * k + 1] = _mm_unpackhi_epi64(low, high);
      }
    }
    for (int k = 0; k < kCount; ++k) a[k] = b[k];
  }
  for (int k = 0; k < kCount; ++k) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k * to_step), a[k]);
#else
  for (int i = 0; i < kCount; ++i)
    for (int j = 0; j < kCount; ++j) std::memcpy(to + i * to_step + j * Bytes, from + j * from_step + i * Bytes, Bytes);
#endif
}

// Elements of a tile's side: one cache line.
template <class T>
inline constexpr int64_t kTileSide = 64 / int64_t(sizeof(T));

// y[i * y_step + j] = x[i + j * x_step] for i < rows, j < columns, both at most a tile's side. Lines of x and y are
// touched once each, so that rows a power of two apart do not evict each other.
template <class T>
inline void transpose_tile(const T* x, int64_t x_step, T* y, int64_t y_step, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = kTileSide<T>, kBytes = sizeof(T), kBlock = 16 / kBytes;
  alignas(64) T in[kSide * kSide];
  const auto* from = reinterpret_cast<const char*>(in);
  if (rows == kSide && columns == kSide) {
    for (int64_t j = 0; j < kSide; ++j) std::memcpy(static_cast<void*>(in + j * kSide), x + j * x_step, 64);
    for (int64_t i = 0; i < kSide; i += kBlock)
      for (int64_t j = 0; j < kSide; j += kBlock)
        transpose_block<kBytes>(from + (j * kSide + i) * kBytes, 64, reinterpret_cast<char*>(y + i * y_step + j),
                                y_step * kBytes);
    return;
  }
  alignas(64) T out[kSide * kSide];
  std::memset(static_cast<void*>(in), 0, sizeof(in));
  for (int64_t j = 0; j < columns; ++j)
    std::memcpy(static_cast<void*>(in + j * kSide), x + j * x_step, static_cast<size_t>(rows * kBytes));
  for (int64_t i = 0; i < rows; i += kBlock)
    for (int64_t j = 0; j < columns; j += kBlock)
      transpose_block<kBytes>(from + (j * kSide + i) * kBytes, 64, reinterpret_cast<char*>(out + i * kSide + j), 64);
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(static_cast<void*>(y + i * y_step), out + i * kSide, static_cast<size_t>(columns * kBytes));
}

// The same for one short side, whose length the compiler knows: channels of an image, parts of a complex number.
template <int64_t Rows, class T>
void split_lanes(const T* x, T* y, int64_t y_step, int64_t columns) {
  vectorize([=]() OG_SIMD {
    const T* from = x;
    T* to = y;
    const int64_t count = columns, step = y_step;
    for (int64_t j = 0; j < count; ++j)
      for (int64_t i = 0; i < Rows; ++i) to[i * step + j] = from[j * Rows + i];
  });
}
template <int64_t Columns, class T>
void join_lanes(const T* x, int64_t x_step, T* y, int64_t rows) {
  vectorize([=]() OG_SIMD {
    const T* from = x;
    T* to = y;
    const int64_t count = rows, step = x_step;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < Columns; ++j) to[i * Columns + j] = from[i + j * step];
  });
}

// True when the stretch was done by one of the short-side loops.
template <class T>
bool short_side(const T* x, int64_t x_step, T* y, int64_t y_step, int64_t rows, int64_t columns) {
  if constexpr (sizeof(T) <= 8) {
    if (rows <= 4 && x_step == rows) {
      if (rows == 2) return split_lanes<2>(x, y, y_step, columns), true;
      if (rows == 3) return split_lanes<3>(x, y, y_step, columns), true;
      if (rows == 4) return split_lanes<4>(x, y, y_step, columns), true;
    }
    if (columns <= 4 && y_step == columns) {
      if (columns == 2) return join_lanes<2>(x, x_step, y, rows), true;
      if (columns == 3) return join_lanes<3>(x, x_step, y, rows), true;
      if (columns == 4) return join_lanes<4>(x, x_step, y, rows), true;
    }
  }
  return false;
}

// Axes that move together, merged; those of one element left out.
struct MergedAxes {
  Dims dims;
  std::vector<int64_t> steps;
  bool empty = false;  // an axis has no element
};
inline MergedAxes merge_axes(const Dims& dims, const std::vector<int64_t>& steps) {
  MergedAxes merged;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0) merged.empty = true;
    if (dims[axis] == 1) continue;
    if (!merged.dims.empty() && merged.steps.back() == steps[axis] * dims[axis]) {
      merged.dims.back() *= dims[axis];
      merged.steps.back() = steps[axis];
    } else {
      merged.dims.push_back(dims[axis]);
      merged.steps.push_back(steps[axis]);
    }
  }
  return merged;
}

// Offsets over a few axes, stepped without divisions. Holds no memory of its own: the axes must outlive it.
template <int N>
class Odometer {
 public:
  static constexpr size_t kMaxAxes = 32;
  Odometer(const Dims& dims, const std::array<const std::vector<int64_t>*, N>& steps, int64_t start)
      : dims_(dims), steps_(steps) {
    for (size_t axis = dims_.size(); axis-- > 0;) {
      position_[axis] = start % dims_[axis];
      start /= dims_[axis];
      for (int k = 0; k < N; ++k) offsets[k] += position_[axis] * (*steps_[k])[axis];
    }
  }
  void next() {
    for (size_t axis = dims_.size(); axis-- > 0;) {
      for (int k = 0; k < N; ++k) offsets[k] += (*steps_[k])[axis];
      if (++position_[axis] < dims_[axis]) return;
      for (int k = 0; k < N; ++k) offsets[k] -= position_[axis] * (*steps_[k])[axis];
      position_[axis] = 0;
    }
  }
  int64_t position(size_t axis) const { return position_[axis]; }
  int64_t offsets[N] = {};

 private:
  const Dims& dims_;
  std::array<const std::vector<int64_t>*, N> steps_;
  int64_t position_[kMaxAxes] = {};
};

// Axis `across` of x is the one whose elements lie side by side; the last axis of y walks over its rows.
template <class T>
void gather_transposed(const Run& r, const T* x, T* y, const MergedAxes& axes, size_t across) {
  constexpr int64_t kSide = kTileSide<T>;
  const size_t last = axes.dims.size() - 1;
  const int64_t rows = axes.dims[across], columns = axes.dims[last], x_step = axes.steps[last];
  Dims outer_dims;
  std::vector<int64_t> x_steps, y_steps;
  int64_t y_step = 0, planes = 1;
  std::vector<int64_t> strides(axes.dims.size(), 1);
  for (size_t axis = last; axis-- > 0;) strides[axis] = strides[axis + 1] * axes.dims[axis + 1];
  for (size_t axis = 0; axis < last; ++axis) {
    if (axis == across) {
      y_step = strides[axis];
      continue;
    }
    planes *= axes.dims[axis];
    outer_dims.push_back(axes.dims[axis]);
    x_steps.push_back(axes.steps[axis]);
    y_steps.push_back(strides[axis]);
  }
  // A piece is up to 8 tiles wide: enough of a row to stream, small enough to share among threads.
  const bool few_rows = rows < kSide, few_columns = columns < kSide;
  const int64_t high = few_columns ? kSide * 16 : kSide, wide = few_rows ? kSide * 64 : kSide * 8;
  const int64_t bands = (rows + high - 1) / high, pieces = (columns + wide - 1) / wide;
  const int64_t cost = std::max<int64_t>(1, std::min(high, rows) * std::min(wide, columns));
  r.parallel_for(planes * bands * pieces, std::max<int64_t>(1, 16384 / cost), [&](int64_t begin, int64_t end) {
    Odometer<2> at(outer_dims, {&x_steps, &y_steps}, begin / (bands * pieces));
    int64_t within = begin % (bands * pieces);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t i0 = within / pieces * high, j0 = within % pieces * wide;
      const int64_t i1 = std::min(rows, i0 + high), j1 = std::min(columns, j0 + wide);
      const T* from = x + at.offsets[0];
      T* to = y + at.offsets[1];
      if (!short_side(from + i0 + j0 * x_step, x_step, to + i0 * y_step + j0, y_step, i1 - i0, j1 - j0))
        for (int64_t i = i0; i < i1; i += kSide)
          for (int64_t j = j0; j < j1; j += kSide)
            transpose_tile(from + i + j * x_step, x_step, to + i * y_step + j, y_step, std::min(kSide, i1 - i),
                           std::min(kSide, j1 - j));
      if (++within == bands * pieces) {
        within = 0;
        at.next();
      }
    }
  });
}

template <class T, class Count>
void gather_rows(const Run& r, const T* x, T* y, const MergedAxes& axes, int64_t outer, Count inner) {
  const Dims dims(axes.dims.begin(), axes.dims.end() - 1);
  const std::vector<int64_t> steps(axes.steps.begin(), axes.steps.end() - 1);
  const int64_t step = axes.steps.back();
  r.parallel_for(outer, std::max<int64_t>(1, 16384 / int64_t(inner)), [&](int64_t begin, int64_t end) {
    Odometer<1> at(dims, {&steps}, begin);
    const int64_t count = inner, move = step;
    T* to = y + begin * count;
    for (int64_t i = begin; i < end; ++i, to += count) {
      const T* from = x + at.offsets[0];
      if (move == 1) {
        std::memcpy(static_cast<void*>(to), from, static_cast<size_t>(int64_t(inner)) * sizeof(T));
      } else if (move == 0) {
        const T value = *from;
        std::fill(to, to + count, value);
      } else {
        for (int64_t j = 0; j < count; ++j) to[j] = from[j * move];
      }
      at.next();
    }
  });
}

}  // namespace detail

// y, row-major with `dims`, gets x[offset + sum(index * steps)]; axes that move together are merged first.
template <class T>
void gather_strided(const Run& r, const T* x, T* y, const Dims& dims, const std::vector<int64_t>& steps) {
  const detail::MergedAxes axes = detail::merge_axes(dims, steps);
  if (axes.empty) return;
  if (axes.dims.empty()) {
    *y = *x;
    return;
  }
  if (axes.dims.size() > detail::Odometer<1>::kMaxAxes)
    fail("more than " + std::to_string(detail::Odometer<1>::kMaxAxes) + " axes move on their own");
  const size_t last = axes.dims.size() - 1;
  const int64_t inner = axes.dims[last], step = axes.steps[last];
  if (last == 0 && step == 1)
    return copy_rows(r, reinterpret_cast<char*>(y), 0, reinterpret_cast<const char*>(x), 0, 1,
                     inner * int64_t(sizeof(T)));
  if (step != 0 && step != 1)
    for (size_t axis = last; axis-- > 0;)
      if (axes.steps[axis] == 1 && axes.dims[axis] * inner >= 32) return detail::gather_transposed(r, x, y, axes, axis);
  int64_t outer = 1;
  for (size_t axis = 0; axis < last; ++axis) outer *= axes.dims[axis];
  if (inner * int64_t(sizeof(T)) <= 128)
    with_fixed_count(inner, [&](auto count) { detail::gather_rows(r, x, y, axes, outer, count); });
  else
    detail::gather_rows(r, x, y, axes, outer, inner);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_COPY_H_
