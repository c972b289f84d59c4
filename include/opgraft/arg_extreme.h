// ArgMax and ArgMin: definition and kernels from one comparison.
//
// Among equal elements the first counts, or the last with select_last_index; NaN wins, as in NumPy.
#ifndef OPGRAFT_ARG_EXTREME_H_
#define OPGRAFT_ARG_EXTREME_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "opgraft/op.h"
#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {
namespace detail {

template <bool Largest, class T>
inline OG_SIMD bool beats(T candidate, T best) {
  return Largest ? candidate > best : candidate < best;
}
template <class T>
inline OG_SIMD bool same(T a, T b) {  // NaN is the same as NaN
  return a == b || (a != a && b != b);
}

// Contiguous row: the value first, then where it stands.
template <bool Largest, class T>
int64_t arg_extreme_row(const T* x, int64_t n, bool last) {
  constexpr int kLanes = 32;
  int64_t found = 0;
  vectorize([&]() OG_SIMD {
    T best = x[0];
    const int64_t whole = n - n % kLanes;
    if (whole) {
      T lanes[kLanes];
      for (int l = 0; l < kLanes; ++l) lanes[l] = x[l];
      for (int64_t i = kLanes; i < whole; i += kLanes)
        for (int l = 0; l < kLanes; ++l) {
          const T value = x[i + l];
          lanes[l] = (beats<Largest>(value, lanes[l]) | (value != value)) ? value : lanes[l];
        }
      for (int l = 0; l < kLanes; ++l) best = beats<Largest>(lanes[l], best) || lanes[l] != lanes[l] ? lanes[l] : best;
    }
    for (int64_t i = whole; i < n; ++i) best = beats<Largest>(x[i], best) || x[i] != x[i] ? x[i] : best;
    const auto at = [&](int64_t i) { return last ? n - 1 - i : i; };
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {  // skips blocks without it
      const T* block = x + (last ? n - i - kLanes : i);
      int hits = 0;
      for (int l = 0; l < kLanes; ++l) hits |= same(block[l], best) ? 1 : 0;
      if (hits) break;
    }
    while (!same(x[at(i)], best)) ++i;
    found = at(i);
  });
  return found;
}

// Columns of n rows, `stride` elements apart, at most kArgColumns of them.
inline constexpr int64_t kArgColumns = 256;
template <bool Largest, bool Last, class T>
void arg_extreme_columns(const T* x, int64_t* y, int64_t n, int64_t columns, int64_t stride) {
  using Index = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  vectorize([=]() OG_SIMD {
    T best[kArgColumns];
    Index index[kArgColumns];
    for (int64_t i = 0; i < columns; ++i) best[i] = x[i], index[i] = 0;
    for (int64_t k = 1; k < n; ++k) {
      const T* from = x + k * stride;
      const Index here = static_cast<Index>(k);
      for (int64_t i = 0; i < columns; ++i) {
        const T value = from[i], old = best[i];
        bool take = beats<Largest>(value, old) | ((value != value) & (old == old));
        if constexpr (Last) take = take | (value == old) | ((value != value) & (old != old));
        best[i] = take ? value : old;
        index[i] = take ? here : index[i];
      }
    }
    for (int64_t i = 0; i < columns; ++i) y[i] = index[i];
  });
}

}  // namespace detail

template <bool Largest, class T>
void arg_extreme_run(Run& r) {
  const Tensor x = r.input(0);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
  const bool last = r.get("select_last_index", 0);
  Dims dims = x.shape();
  const int64_t n = dims[static_cast<size_t>(axis)], inner = x.product(axis + 1, x.ndim()), outer = x.product(0, axis);
  if (r.get("keepdims", 1))
    dims[static_cast<size_t>(axis)] = 1;
  else
    dims.erase(dims.begin() + axis);
  int64_t* y = r.output(0, dims).data<int64_t>();
  if (outer * inner == 0) return;
  if (n == 0)
    fail("axis " + std::to_string(axis) + " is empty, it has no " + (Largest ? "largest" : "smallest") + " element");
  const T* from = x.data<T>();
  if (inner == 1) {
    r.parallel_for(outer, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) y[o] = detail::arg_extreme_row<Largest>(from + o * n, n, last);
    });
    return;
  }
  if (n > std::numeric_limits<int32_t>::max())
    fail("axis " + std::to_string(axis) + " has " + std::to_string(n) + " elements, at most 2147483647 are supported");
  const int64_t columns = std::min(inner, detail::kArgColumns), bands = (inner + columns - 1) / columns;
  r.parallel_for(outer * bands, std::max<int64_t>(1, 16384 / (n * columns)), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % bands * columns, count = std::min(columns, inner - first);
      const T* base = from + item / bands * n * inner + first;
      int64_t* to = y + item / bands * inner + first;
      if (last)
        detail::arg_extreme_columns<Largest, true>(base, to, n, count, inner);
      else
        detail::arg_extreme_columns<Largest, false>(base, to, n, count, inner);
    }
  });
}

// All of ArgMax (Largest) or ArgMin.
template <bool Largest>
void define_arg_extreme(Op& op, const char* doc) {
  op.doc(doc)
      .input("data", "T")
      .output("reduced", "tensor(int64)")
      .attr("axis", 0)
      .attr("keepdims", 1)
      .attr("select_last_index", 0)
      .types("T", types::numeric)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, i64);
        Dims dims = c.dims(0);
        const auto axis = normalize_axis(c.get("axis", int64_t(0)), c.ndim(0));
        if (c.get("keepdims", 1))
          dims[static_cast<size_t>(axis)] = 1;
        else
          dims.erase(dims.begin() + axis);
        c.out(0, i64, dims);
      })
      .pure();
  op.kernel(cpu, f32, &arg_extreme_run<Largest, float>);
  op.kernel(cpu, f64, &arg_extreme_run<Largest, double>);
  op.kernel(cpu, i8, &arg_extreme_run<Largest, int8_t>);
  op.kernel(cpu, i16, &arg_extreme_run<Largest, int16_t>);
  op.kernel(cpu, i32, &arg_extreme_run<Largest, int32_t>);
  op.kernel(cpu, i64, &arg_extreme_run<Largest, int64_t>);
  op.kernel(cpu, u8, &arg_extreme_run<Largest, uint8_t>);
  op.kernel(cpu, u16, &arg_extreme_run<Largest, uint16_t>);
  op.kernel(cpu, u32, &arg_extreme_run<Largest, uint32_t>);
  op.kernel(cpu, u64, &arg_extreme_run<Largest, uint64_t>);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_ARG_EXTREME_H_
