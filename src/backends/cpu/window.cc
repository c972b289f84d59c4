// Sliding windows over a band: weighted sums (depthwise convolution, average pooling) and maxima, and sums of whole
// rows.
#include "backends/cpu/kernels.h"
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/window.cc"
#include "hwy/foreach_target.h"
// Behind foreach_target.h:
#include "backends/cpu/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {

// Seven rows, because feature maps of 7, 14, 28, ... rows are the usual ones and 7 x 2 sums fit 16 registers.
constexpr int kWindowRows = 7;

template <class D, int kRows, int kVectors, bool kMaximum>
HWY_INLINE void window_tile(const Window& w, const float* src, float* dst) {
  const D d;
  using W = hn::Vec<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  W sum[kRows][kVectors];
  const W start = hn::Set(d, kMaximum ? -__builtin_inff() : w.bias);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sum[r][v] = start;
  // One pointer per row that the compiler takes as it is; it would else add up addresses at every tap.
  const float* rows[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    rows[r] = src + r * w.src_row;
    asm("" : "+r"(rows[r]));
  }
  const int32_t* offsets = w.offsets;
  const int32_t* const end = offsets + w.taps;
  const float* weights = w.weights;
  for (; offsets != end; ++offsets) {
    const int64_t at = *offsets;
    if constexpr (kMaximum) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          const W x = hn::LoadU(d, rows[r] + at + v * lanes);
          const W larger = at_least(sum[r][v], x);
          sum[r][v] = hn::IfThenElse(hn::Eq(x, x), larger, x);
        }
    } else {
      const W factor = hn::Set(d, *weights++);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(factor, hn::LoadU(d, rows[r] + at + v * lanes), sum[r][v]);
    }
  }
  if (w.clamp) {
    const W low = hn::Set(d, w.low);
    const W high = hn::Set(d, w.high);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = at_most(at_least(sum[r][v], low), high);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, dst + r * w.dst_row + v * lanes);
}

// Vectors of D over a row; the last ones overlap when the row is no multiple of them. Returns false for a row that is
// too short.
template <class D, int kRows, bool kMaximum>
HWY_INLINE bool window_rows(const Window& w, const float* src, float* dst) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  if (w.columns < lanes) return false;
  int64_t j = 0;
  for (; j + 2 * lanes <= w.columns; j += 2 * lanes) window_tile<D, kRows, 2, kMaximum>(w, src + j, dst + j);
  for (; j < w.columns; j += lanes) {
    const int64_t at = j + lanes <= w.columns ? j : w.columns - lanes;
    window_tile<D, kRows, 1, kMaximum>(w, src + at, dst + at);
  }
  return true;
}

template <int kRows, bool kMaximum>
HWY_ATTR void window_strip(const Window& w, const float* src, float* dst) {
  if (window_rows<F, kRows, kMaximum>(w, src, dst)) return;
#if HWY_TARGET == HWY_AVX3
  if (window_rows<hn::FixedTag<float, 8>, kRows, kMaximum>(w, src, dst)) return;
#endif
#if HWY_TARGET != HWY_SCALAR
  if (window_rows<hn::FixedTag<float, 4>, kRows, kMaximum>(w, src, dst)) return;
#endif
  window_rows<hn::FixedTag<float, 1>, kRows, kMaximum>(w, src, dst);
}

template <bool kMaximum>
HWY_ATTR void window_all(const Window& w) {
  const float* src = w.src;
  float* dst = w.dst;
  int64_t r = 0;
  for (; r + kWindowRows <= w.rows; r += kWindowRows) {
    window_strip<kWindowRows, kMaximum>(w, src, dst);
    src += kWindowRows * w.src_row;
    dst += kWindowRows * w.dst_row;
  }
  switch (w.rows - r) {
    case 1:
      return window_strip<1, kMaximum>(w, src, dst);
    case 2:
      return window_strip<2, kMaximum>(w, src, dst);
    case 3:
      return window_strip<3, kMaximum>(w, src, dst);
    case 4:
      return window_strip<4, kMaximum>(w, src, dst);
    case 5:
      return window_strip<5, kMaximum>(w, src, dst);
    case 6:
      return window_strip<6, kMaximum>(w, src, dst);
    default:
      return;
  }
}

HWY_ATTR void multiply(const float* factors, float factor, float* y, int64_t n) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V all = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V f = factors != nullptr ? hn::Mul(all, hn::LoadU(d, factors + i)) : all;
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), f), d, y + i);
  }
  for (; i < n; ++i) y[i] *= factor * (factors != nullptr ? factors[i] : 1.0f);
}

const WindowKernels& get_window_table() {
  static constexpr WindowKernels kTable = {&window_all<false>, &window_all<true>, &multiply};
  return kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opgraft::cpu {
const WindowKernels& window_kernels(int level) { OG_CPU_PICK(get_window_table, level); }
}  // namespace opgraft::cpu
#endif
