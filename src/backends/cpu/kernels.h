// The vectorised inner loops, as tables of function pointers per CPU level; the drivers that call them are plain C++.
//
// Only files that include hwy/foreach_target.h hold code for other instruction sets than the compiler's baseline; such
// code uses no inline function or template of other headers, since the linker could keep its copy for everybody.
#ifndef OPGRAFT_BACKENDS_CPU_KERNELS_H_
#define OPGRAFT_BACKENDS_CPU_KERNELS_H_

#include <cstdint>

#include "opgraft/services.h"

namespace opgraft::cpu {

constexpr int kMaxTileRows = 12;
constexpr int kMaxTileColumns = 32;
constexpr int kMaxNarrow = 4;
// Floats that a kernel may read or write behind the end of a scratch buffer.
constexpr int kSlack = 64;

// What happens to a tile after its last block of depth; see og_epilogue. Activations that are no clamp are applied
// later.
struct Finish {
  float alpha = 1.0f;
  float beta = 1.0f;
  bool clamp = false;
  bool residual_last = false;
  float low = 0.0f;
  float high = 0.0f;
};

// C[rows, columns] (+)= A[rows, depth] * B[depth, columns] for one register tile.
struct Tile {
  int64_t depth;
  const float* a;
  int64_t a_row;  // strides of A; not used when A is packed ([depth][tile rows])
  int64_t a_column;
  const float* b;
  int64_t b_row;             // stride between the rows of B
  const int32_t* b_offsets;  // or the offset of each row
  float* c;
  int64_t c_row;
  bool accumulate;       // adds to C
  const Finish* finish;  // NULL = more depth follows
  const float* bias_m;   // NULL, or a value per row, per column, and the residual, all at this tile's place
  const float* bias_n;
  const float* residual;
  int64_t residual_row;
};

using TileFn = void (*)(const Tile& tile);

struct TileKernels {
  int lanes;    // floats in a vector
  int rows;     // largest tile
  int columns;  // 2 vectors; also the width of a panel of packed B
  // [A packed][B by offsets][rows][vectors]: exactly `rows` rows and `vectors` * lanes columns.
  TileFn tile[2][2][kMaxTileRows + 1][3];
  // [columns]: all rows and that many columns of B by stride, A packed; writes one whole vector per row. NULL = none.
  // With the rows of A in the lanes, few columns cost less than a vector of columns does.
  TileFn narrow[kMaxNarrow + 1];
};
const TileKernels& tile_kernels(int level);

// A run of output pixels whose inputs lie side by side in a band.
struct Segment {
  int32_t source;
  int32_t target;
  int32_t length;
};

struct PackKernels {
  // dst[k][0..width) = src[k * row + 0..width), width at most the panel's; the rest of a row becomes 0.
  void (*panel_from_rows)(const float* src, int64_t row, int64_t depth, int64_t width, float* dst, int panel);
  // dst[k][j] = src[j * row + k] for j < width, else 0.
  void (*panel_from_columns)(const float* src, int64_t row, int64_t depth, int64_t width, float* dst, int panel);
  // dst[k][segment.target...] = src[offsets[k] + segment.source ...]; reads and writes up to kSlack floats too far.
  void (*panel_from_segments)(const float* src, const int32_t* offsets, int64_t depth, const Segment* segments,
                              int count, float* dst, int panel);
  // dst[r * dst_row + i] = src[r * src_row + i * step] for i < count; reads and writes nothing else.
  void (*gather_rows)(const float* src, int64_t src_row, int64_t step, int64_t rows, int64_t count, float* dst,
                      int64_t dst_row);
  // dst[i] += src[i]
  void (*add)(const float* src, int64_t count, float* dst);
};
const PackKernels& pack_kernels(int level);

// A weighted sum or a maximum over taps, for a rectangle of outputs.
struct Window {
  const float* src;        // first output's window in a band
  const int32_t* offsets;  // one per tap
  int32_t taps;
  const float* weights;  // one per tap, for the sum
  int64_t rows, columns;
  int64_t src_row;  // band floats between the windows of two output rows; along a row they are side by side
  float* dst;
  int64_t dst_row;
  float bias;
  bool clamp;
  float low, high;
};

struct WindowKernels {
  void (*weighted_sum)(const Window& window);
  void (*maximum)(const Window& window);
  void (*multiply)(const float* factors, float factor, float* y, int64_t n);  // y *= factor * factors[i] (NULL = 1)
};
const WindowKernels& window_kernels(int level);

struct VectorKernels {
  // y[j] = sum_k x[k] * b[k * ldb + j], j < n
  void (*vector_times_rows)(const float* x, const float* b, int64_t ldb, int64_t depth, int64_t n, float* y);
  // y[j * y_step] = sum_k x[k] * b[j * ldb + k], j < n
  void (*vector_times_columns)(const float* x, const float* b, int64_t ldb, int64_t depth, int64_t n, float* y,
                               int64_t y_step);
};
const VectorKernels& vector_kernels(int level);

const og_cpu_math& math_table(int level);
const og_cpu_gemm& gemm_table(int level);
const og_cpu_conv& conv_table(int level);
const og_cpu_pool& pool_table(int level);

}  // namespace opgraft::cpu

#endif  // OPGRAFT_BACKENDS_CPU_KERNELS_H_
