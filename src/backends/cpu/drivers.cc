// Loops over register tiles and the parts of epilogues that tiles do not do.
#include "backends/cpu/drivers.h"

#include <cmath>
#include <cstring>

namespace opgraft::cpu {

EpilogueForm epilogue_form(const og_epilogue* epilogue, float alpha) {
  EpilogueForm form;
  form.finish.alpha = alpha;
  if (epilogue == nullptr) return form;
  form.activation = epilogue->activation;
  form.a = epilogue->a;
  form.b = epilogue->b;
  form.bias_n = epilogue->bias_n;
  form.bias_m = epilogue->bias_m;
  form.residual = epilogue->residual;
  form.residual_row = epilogue->residual_ld;
  form.residual_stride = epilogue->residual_stride;
  form.finish.beta = epilogue->beta;
  form.finish.residual_last = epilogue->residual_last != 0;
  if (form.activation == OG_ACT_RELU) {
    form.finish.clamp = true;
    form.finish.low = 0.0f;
    form.finish.high = INFINITY;
  } else if (form.activation == OG_ACT_CLIP) {
    form.finish.clamp = true;
    form.finish.low = form.a;
    form.finish.high = form.b;
  } else {
    form.second_pass = form.activation != OG_ACT_NONE;
  }
  return form;
}

void second_pass(const EpilogueForm& form, const og_cpu_math& math, float* c, int64_t c_row, int64_t rows,
                 int64_t columns, const float* residual) {
  if (c_row == columns && residual == nullptr) {
    columns *= rows;
    rows = 1;
  }
  for (int64_t r = 0; r < rows; ++r, c += c_row) {
    math.activate(form.activation, form.a, form.b, c, c, columns);
    if (residual != nullptr && form.finish.residual_last) {
      const float* row = residual + r * form.residual_row;
      for (int64_t j = 0; j < columns; ++j) c[j] += form.finish.beta * row[j];
    }
  }
}

namespace {

// A tile that is narrower than its vectors works on copies.
void edge_tile(TileFn fn, Tile tile, int rows, int columns, int width) {
  alignas(64) float c[kMaxTileRows * kMaxTileColumns];
  alignas(64) float residual[kMaxTileRows * kMaxTileColumns];
  alignas(64) float bias[kMaxTileColumns] = {};
  const size_t bytes = static_cast<size_t>(columns) * sizeof(float);
  float* target = tile.c;
  const int64_t target_row = tile.c_row;
  if (tile.accumulate)
    for (int r = 0; r < rows; ++r) {
      std::memset(c + r * width, 0, static_cast<size_t>(width) * sizeof(float));
      std::memcpy(c + r * width, target + r * target_row, bytes);
    }
  if (tile.finish != nullptr && tile.residual != nullptr) {
    for (int r = 0; r < rows; ++r) {
      std::memset(residual + r * width, 0, static_cast<size_t>(width) * sizeof(float));
      std::memcpy(residual + r * width, tile.residual + r * tile.residual_row, bytes);
    }
    tile.residual = residual;
    tile.residual_row = width;
  }
  if (tile.finish != nullptr && tile.bias_n != nullptr) {
    std::memcpy(bias, tile.bias_n, bytes);
    tile.bias_n = bias;
  }
  tile.c = c;
  tile.c_row = width;
  fn(tile);
  for (int r = 0; r < rows; ++r) std::memcpy(target + r * target_row, c + r * width, bytes);
}

}  // namespace

namespace {

// Tiles of rows [row_begin, row_end), panel by panel of B.
void multiply_rows(const TileKernels& kernels, const Block& block, int64_t row_begin, int64_t row_end) {
  const int lanes = kernels.lanes;
  const int tile_rows = kernels.rows;
  const int tile_columns = kernels.columns;
  Tile tile{};
  tile.depth = block.depth;
  tile.a_row = block.a_row;
  tile.a_column = block.a_column;
  tile.b_row = block.b_row;
  tile.b_offsets = block.b_offsets;
  tile.c_row = block.c_row;
  tile.accumulate = block.accumulate;
  tile.finish = block.finish;
  tile.residual_row = block.residual_row;
  const int packed = block.a_packed ? 1 : 0;
  const int offsets = block.b_offsets != nullptr ? 1 : 0;
  const int64_t a_step = block.a_packed ? block.a_panel : tile_rows * block.a_row;
  const float* first_a = block.a + row_begin / tile_rows * a_step;
  const float* b = block.b;
  for (int64_t j = 0; j < block.columns; j += tile_columns, b += block.b_panel) {
    const int columns = static_cast<int>(smaller(tile_columns, block.columns - j));
    const int vectors = columns > lanes ? 2 : 1;
    tile.b = b;
    tile.bias_n = block.bias_n != nullptr ? block.bias_n + j : nullptr;
    const float* a = first_a;
    for (int64_t i = row_begin; i < row_end; i += tile_rows, a += a_step) {
      const int rows = static_cast<int>(smaller(tile_rows, row_end - i));
      tile.a = a;
      tile.c = block.c + i * block.c_row + j;
      tile.bias_m = block.bias_m != nullptr ? block.bias_m + i : nullptr;
      tile.residual = block.residual != nullptr ? block.residual + i * block.residual_row + j : nullptr;
      TileFn fn = kernels.tile[packed][offsets][rows][vectors];
      if (columns <= kMaxNarrow && kernels.narrow[columns] != nullptr && rows == tile_rows && packed && !offsets)
        fn = kernels.narrow[columns];
      if (columns == vectors * lanes)
        fn(tile);
      else
        edge_tile(fn, tile, rows, columns, vectors * lanes);
    }
  }
}

}  // namespace

void multiply_block(const TileKernels& kernels, const Block& block) {
  // Rows of A that stay in the second-level cache while the panels of B pass.
  constexpr int64_t kRowFloats = 32 * 1024;
  int64_t step = larger(1, kRowFloats / (larger(1, block.depth) * kernels.rows)) * kernels.rows;
  step = divide_up(divide_up(block.rows, divide_up(block.rows, step)), kernels.rows) * kernels.rows;
  for (int64_t i = 0; i < block.rows; i += step) multiply_rows(kernels, block, i, smaller(block.rows, i + step));
}

int64_t block_depth(const TileKernels& kernels, int64_t depth) {
  const int64_t most = kernels.columns >= 32 ? 256 : 320;
  if (depth <= most + most / 4) return larger(depth, 1);
  return divide_up(depth, divide_up(depth, most));
}

}  // namespace opgraft::cpu
