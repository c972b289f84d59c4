// Vector times matrix at memory speed: the matrix is read once, in its own order.
#include "backends/cpu/kernels.h"
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/vector.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;

HWY_ATTR void vector_times_rows(const float* x, const float* b, int64_t ldb, int64_t depth, int64_t n, float* y) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRows = 4;      // rows of B in one pass over y
  constexpr int64_t kBlock = 2048;  // floats of y that stay in the first-level cache
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = begin + kBlock < n ? begin + kBlock : n;
    for (int64_t j = begin; j < end; ++j) y[j] = 0.0f;
    int64_t k = 0;
    for (; k + kRows <= depth; k += kRows) {
      const float* row = b + k * ldb;
      const V x0 = hn::Set(d, x[k]);
      const V x1 = hn::Set(d, x[k + 1]);
      const V x2 = hn::Set(d, x[k + 2]);
      const V x3 = hn::Set(d, x[k + 3]);
      int64_t j = begin;
      for (; j + lanes <= end; j += lanes) {
        V sum = hn::MulAdd(x0, hn::LoadU(d, row + j), hn::LoadU(d, y + j));
        V other = hn::Mul(x2, hn::LoadU(d, row + 2 * ldb + j));
        sum = hn::MulAdd(x1, hn::LoadU(d, row + ldb + j), sum);
        other = hn::MulAdd(x3, hn::LoadU(d, row + 3 * ldb + j), other);
        hn::StoreU(hn::Add(sum, other), d, y + j);
      }
      for (; j < end; ++j)
        y[j] += x[k] * row[j] + x[k + 1] * row[ldb + j] + x[k + 2] * row[2 * ldb + j] + x[k + 3] * row[3 * ldb + j];
    }
    for (; k < depth; ++k) {
      const float* row = b + k * ldb;
      const V x0 = hn::Set(d, x[k]);
      int64_t j = begin;
      for (; j + lanes <= end; j += lanes)
        hn::StoreU(hn::MulAdd(x0, hn::LoadU(d, row + j), hn::LoadU(d, y + j)), d, y + j);
      for (; j < end; ++j) y[j] += x[k] * row[j];
    }
  }
}

template <int kRows>
HWY_INLINE void dot_rows(const float* x, const float* b, int64_t ldb, int64_t depth, float* y, int64_t y_step) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kRows][2];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  int64_t k = 0;
  for (; k + 2 * lanes <= depth; k += 2 * lanes) {
    const V x0 = hn::LoadU(d, x + k);
    const V x1 = hn::LoadU(d, x + k + lanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] = hn::MulAdd(x0, hn::LoadU(d, b + r * ldb + k), sum[r][0]);
      sum[r][1] = hn::MulAdd(x1, hn::LoadU(d, b + r * ldb + k + lanes), sum[r][1]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[r][0], sum[r][1])));
    for (int64_t i = k; i < depth; ++i) total += x[i] * b[r * ldb + i];
    y[r * y_step] = total;
  }
}

HWY_ATTR void vector_times_columns(const float* x, const float* b, int64_t ldb, int64_t depth, int64_t n, float* y,
                                   int64_t y_step) {
  int64_t j = 0;
  for (; j + 4 <= n; j += 4) dot_rows<4>(x, b + j * ldb, ldb, depth, y + j * y_step, y_step);
  for (; j < n; ++j) dot_rows<1>(x, b + j * ldb, ldb, depth, y + j * y_step, y_step);
}

const VectorKernels& get_vector_table() {
  static constexpr VectorKernels kTable = {&vector_times_rows, &vector_times_columns};
  return kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opgraft::cpu {
const VectorKernels& vector_kernels(int level) { OG_CPU_PICK(get_vector_table, level); }
}  // namespace opgraft::cpu
#endif
