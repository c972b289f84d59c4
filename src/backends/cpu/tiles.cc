// Register tiles of matrix multiplication: C[rows, 1 or 2 vectors] from A (packed or strided) and B (strided or by
// offsets).
#include "backends/cpu/kernels.h"
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/tiles.cc"
#include "hwy/foreach_target.h"
// Behind foreach_target.h:
#include "backends/cpu/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {
// 16 vector registers hold 6 x 2 sums beside two rows of B and one element of A; 32 hold 12 x 2.
constexpr int kTileRows = HWY_TARGET == HWY_AVX3 ? 12 : 6;

// Few sums would wait for each other's latency, so small tiles keep several partial sums.
constexpr int partial_sums(int rows, int vectors) {
  const int sums = rows * vectors;
  return sums <= 1 ? 8 : sums <= 2 ? 4 : sums <= 4 ? 2 : 1;
}

template <int kRows, int kVectors>
HWY_INLINE void finish_tile(const Tile& t, V (&sum)[kRows][kVectors]) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (t.accumulate) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, t.c + r * t.c_row + v * lanes));
  }
  const Finish* finish = t.finish;
  if (finish != nullptr) {
    const V alpha = hn::Set(d, finish->alpha);
    V bias[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) bias[v] = t.bias_n ? hn::LoadU(d, t.bias_n + v * lanes) : hn::Zero(d);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V bias_m = t.bias_m ? hn::Set(d, t.bias_m[r]) : hn::Zero(d);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(sum[r][v], alpha, hn::Add(bias[v], bias_m));
    }
    const V beta = hn::Set(d, finish->beta);
    if (t.residual != nullptr && !finish->residual_last) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(hn::LoadU(d, t.residual + r * t.residual_row + v * lanes), beta, sum[r][v]);
    }
    if (finish->clamp) {
      const V low = hn::Set(d, finish->low);
      const V high = hn::Set(d, finish->high);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sum[r][v] = at_most(at_least(sum[r][v], low), high);
    }
    if (t.residual != nullptr && finish->residual_last) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(hn::LoadU(d, t.residual + r * t.residual_row + v * lanes), beta, sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, t.c + r * t.c_row + v * lanes);
}

template <int kRows, int kVectors, bool kPackedA, bool kOffsets>
HWY_ATTR void run_tile(const Tile& t) {
  const F d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kPartial = partial_sums(kRows, kVectors);
  V sum[kPartial][kRows][kVectors];
#pragma GCC unroll 8
  for (int p = 0; p < kPartial; ++p)
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[p][r][v] = hn::Zero(d);

  const float* a = t.a;
  const float* b = t.b;
  const int64_t a_row = kPackedA ? 1 : t.a_row;
  const int64_t a_column = kPackedA ? kTileRows : t.a_column;
  const int64_t b_row = t.b_row;
  const int32_t* offsets = t.b_offsets;
  int64_t k = 0;
  for (; k + kPartial <= t.depth; k += kPartial) {
#pragma GCC unroll 8
    for (int p = 0; p < kPartial; ++p) {
      const float* row = kOffsets ? b + offsets[k + p] : b;
      V value[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) value[v] = hn::LoadU(d, row + v * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V factor = hn::Set(d, a[r * a_row]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sum[p][r][v] = hn::MulAdd(factor, value[v], sum[p][r][v]);
      }
      a += a_column;
      if (!kOffsets) b += b_row;
    }
  }
  if constexpr (kPartial > 1) {
    for (; k < t.depth; ++k) {
      const float* row = kOffsets ? b + offsets[k] : b;
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V factor = hn::Set(d, a[r * a_row]);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v)
          sum[0][r][v] = hn::MulAdd(factor, hn::LoadU(d, row + v * lanes), sum[0][r][v]);
      }
      a += a_column;
      if (!kOffsets) b += b_row;
    }
#pragma GCC unroll 8
    for (int p = 1; p < kPartial; ++p)
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sum[0][r][v] = hn::Add(sum[0][r][v], sum[p][r][v]);
  }
  finish_tile<kRows, kVectors>(t, sum[0]);
}

#if HWY_TARGET != HWY_SCALAR
template <int kColumns>
HWY_ATTR void run_narrow(const Tile& t) {
  const F d;
  constexpr int kPartial = kColumns == 1 ? 4 : 2;
  V sum[kPartial][kColumns];
#pragma GCC unroll 4
  for (int p = 0; p < kPartial; ++p)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) sum[p][c] = hn::Zero(d);
  const float* a = t.a;
  const float* b = t.b;
  int64_t k = 0;
  for (; k + kPartial <= t.depth; k += kPartial)
#pragma GCC unroll 4
    for (int p = 0; p < kPartial; ++p, a += kTileRows, b += t.b_row) {
      const V rows = hn::LoadU(d, a);  // and a few floats of the next column
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) sum[p][c] = hn::MulAdd(rows, hn::Set(d, b[c]), sum[p][c]);
    }
  for (; k < t.depth; ++k, a += kTileRows, b += t.b_row) {
    const V rows = hn::LoadU(d, a);
    for (int c = 0; c < kColumns; ++c) sum[0][c] = hn::MulAdd(rows, hn::Set(d, b[c]), sum[0][c]);
  }
  HWY_ALIGN float transposed[kColumns][HWY_LANES(float)];
  for (int c = 0; c < kColumns; ++c) {
    for (int p = 1; p < kPartial; ++p) sum[0][c] = hn::Add(sum[0][c], sum[p][c]);
    hn::Store(sum[0][c], d, transposed[c]);
  }
  HWY_ALIGN float lanes[kTileRows][HWY_LANES(float)] = {};
  V row[kTileRows][1];
  for (int r = 0; r < kTileRows; ++r) {
    for (int c = 0; c < kColumns; ++c) lanes[r][c] = transposed[c][r];
    row[r][0] = hn::Load(d, lanes[r]);
  }
  finish_tile<kTileRows, 1>(t, row);
}
#endif

template <int kRows>
void fill(TileKernels& table) {
  table.tile[0][0][kRows][1] = &run_tile<kRows, 1, false, false>;
  table.tile[0][0][kRows][2] = &run_tile<kRows, 2, false, false>;
  table.tile[0][1][kRows][1] = &run_tile<kRows, 1, false, true>;
  table.tile[0][1][kRows][2] = &run_tile<kRows, 2, false, true>;
  table.tile[1][0][kRows][1] = &run_tile<kRows, 1, true, false>;
  table.tile[1][0][kRows][2] = &run_tile<kRows, 2, true, false>;
  table.tile[1][1][kRows][1] = &run_tile<kRows, 1, true, true>;
  table.tile[1][1][kRows][2] = &run_tile<kRows, 2, true, true>;
  if constexpr (kRows > 1) fill<kRows - 1>(table);
}

TileKernels make_tile_table() {
  TileKernels table{};
  table.lanes = static_cast<int>(hn::Lanes(F()));
  table.rows = kTileRows;
  table.columns = 2 * table.lanes;
  fill<kTileRows>(table);
#if HWY_TARGET != HWY_SCALAR
  if (kTileRows <= table.lanes) {
    table.narrow[1] = &run_narrow<1>;
    table.narrow[2] = &run_narrow<2>;
    table.narrow[3] = &run_narrow<3>;
    table.narrow[4] = &run_narrow<4>;
  }
#endif
  return table;
}

const TileKernels& get_tile_table() {
  static const TileKernels table = make_tile_table();
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opgraft::cpu {
const TileKernels& tile_kernels(int level) { OG_CPU_PICK(get_tile_table, level); }
}  // namespace opgraft::cpu
#endif
