// Softmax and LogSoftmax: kernels along the last axis (math service) and along any other (whole rows at once), and the
// meaning before opset 13.
#ifndef OPGRAFT_SOFTMAX_H_
#define OPGRAFT_SOFTMAX_H_

#include <algorithm>
#include <limits>
#include <vector>

#include "opgraft/op.h"
#include "opgraft/services.h"
#include "opgraft/simd.h"

namespace opgraft OG_HIDDEN {
namespace detail {

inline constexpr int64_t kSoftmaxColumns = 256;

// Softmax down each of `columns` (at most kSoftmaxColumns) columns of n rows, `stride` elements apart. A column with a
// NaN, or without a finite element, becomes NaN.
template <bool Log, class T>
void softmax_columns(const T* x, T* y, int64_t n, int64_t columns, int64_t stride) {
  vectorize([=](auto level) OG_SIMD {
    T largest[kSoftmaxColumns], sums[kSoftmaxColumns];
    for (int64_t i = 0; i < columns; ++i) largest[i] = -std::numeric_limits<T>::infinity(), sums[i] = T(0);
    for (int64_t k = 0; k < n; ++k) {
      const T* from = x + k * stride;
      for (int64_t i = 0; i < columns; ++i) largest[i] = from[i] > largest[i] ? from[i] : largest[i];
    }
    for (int64_t k = 0; k < n; ++k) {
      const T* from = x + k * stride;
      T* to = y + k * stride;
      if constexpr (Log)
        for (int64_t i = 0; i < columns; ++i) sums[i] += simd::exp_neg(level, from[i] - largest[i]);
      else
        for (int64_t i = 0; i < columns; ++i) {
          const T power = simd::exp_neg(level, from[i] - largest[i]);
          to[i] = power;
          sums[i] += power;
        }
    }
    if constexpr (Log)
      for (int64_t i = 0; i < columns; ++i) sums[i] = simd::log(level, sums[i]);
    else
      for (int64_t i = 0; i < columns; ++i) sums[i] = T(1) / sums[i];
    for (int64_t k = 0; k < n; ++k) {
      const T* from = x + k * stride;
      T* to = y + k * stride;
      if constexpr (Log)
        for (int64_t i = 0; i < columns; ++i) to[i] = (from[i] - largest[i]) - sums[i];
      else
        for (int64_t i = 0; i < columns; ++i) to[i] *= sums[i];
    }
  });
}

// Short rows are turned into columns, so that the lanes are full.
inline constexpr int64_t kShortRow = 16;

template <bool Log, class T>
void softmax_short_rows(const T* x, T* y, int64_t rows, int64_t n) {
  T block[kShortRow * kSoftmaxColumns];
  for (int64_t first = 0; first < rows; first += kSoftmaxColumns) {
    const int64_t count = std::min(kSoftmaxColumns, rows - first);
    const T* from = x + first * n;
    T* to = y + first * n;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < n; ++k) block[k * kSoftmaxColumns + i] = from[i * n + k];
    softmax_columns<Log>(block, block, n, count, kSoftmaxColumns);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < n; ++k) to[i * n + k] = block[k * kSoftmaxColumns + i];
  }
}

template <bool Log, class T>
void softmax_rows(const og_cpu_math* math, const T* x, T* y, int64_t rows, int64_t n) {
  if (n <= kShortRow && rows > 1) return softmax_short_rows<Log>(x, y, rows, n);
  for (int64_t i = 0; i < rows; ++i, x += n, y += n) {
    if constexpr (std::is_same_v<T, float>) {
      if (math) {
        (Log ? math->log_softmax : math->softmax)(x, y, n);
        continue;
      }
    }
    T largest = x[0], sum = 0;
    for (int64_t k = 1; k < n; ++k) largest = x[k] > largest ? x[k] : largest;
    for (int64_t k = 0; k < n; ++k) sum += std::exp(x[k] - largest);
    const T log_sum = std::log(sum);
    for (int64_t k = 0; k < n; ++k) y[k] = Log ? (x[k] - largest) - log_sum : std::exp(x[k] - largest) / sum;
  }
}

}  // namespace detail

template <bool Log, class T>
struct SoftmaxKernel {
  const og_cpu_math* math = nullptr;
  void pack(Pack&) { math = service<og_cpu_math>(OG_CPU_MATH); }
  void run(Run& r) const {
    const Tensor x = r.input(0);
    if (x.numel() == 0) return;
    const int axis = x.ndim() ? static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim())) : 0;
    const int64_t n = x.ndim() ? x.dim(axis) : 1, inner = x.product(axis + 1, x.ndim());
    const T* from = r.in<T>(0);
    T* to = r.out<T>(0);
    if (inner == 1) {
      r.parallel_for(x.numel() / n, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
        detail::softmax_rows<Log>(math, from + begin * n, to + begin * n, end - begin, n);
      });
      return;
    }
    const int64_t outer = x.numel() / (n * inner);
    const int64_t columns = std::min(inner, detail::kSoftmaxColumns), bands = (inner + columns - 1) / columns;
    r.parallel_for(outer * bands, std::max<int64_t>(1, 4096 / (n * columns)), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t first = item % bands * columns, base = item / bands * n * inner + first;
        detail::softmax_columns<Log>(from + base, to + base, n, std::min(columns, inner - first), inner);
      }
    });
  }
};

// All of Softmax (Log = false) or LogSoftmax (Log = true).
template <bool Log>
void define_softmax(Op& op, const char* doc) {
  op.doc(doc)
      .input("input", "T")
      .output("output", "T")
      .attr("axis", -1)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) > 0) normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0));
        c.same(0, 0);
      })
      .inplace(0, 0)
      .pure()
      .version(
          11, [](Op& o) { o.input("input", "T").output("output", "T").attr("axis", 1).types("T", types::ieee); },
          [](Graph& g) {  // before 13 everything from `axis` on was one row
            g.node("Shape", {"input"}, {"dims"});
            g.node("Flatten", {"input"}, {"matrix"}).attr("axis", g.get("axis", int64_t(1)));
            g.node(Log ? "LogSoftmax" : "Softmax", {"matrix"}, {"rows"}).attr("axis", -1);
            g.node("Reshape", {"rows", "dims"}, {"output"}).attr("allowzero", 1);
          });
  op.kernel<SoftmaxKernel<Log, float>>(cpu, f32);
  op.kernel<SoftmaxKernel<Log, double>>(cpu, f64);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SOFTMAX_H_
