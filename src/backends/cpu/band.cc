// Bands: padded, stride-sorted copies of input rows.
#include "backends/cpu/band.h"

#include "backends/cpu/drivers.h"

namespace opgraft::cpu {

bool read_geometry(int32_t spatial, const int64_t* in, const int64_t* out, const int64_t* kernel, const int64_t* stride,
                   const int64_t* dilation, const int64_t* pad, Geometry* geometry) {
  if (spatial < 1 || spatial > 3) return false;
  const int32_t missing = 3 - spatial;
  for (int32_t i = 0; i < 3; ++i) {
    const int32_t from = i - missing;
    const bool present = from >= 0;
    geometry->in[i] = present ? in[from] : 1;
    geometry->out[i] = present ? out[from] : 1;
    geometry->kernel[i] = present ? kernel[from] : 1;
    geometry->stride[i] = present ? stride[from] : 1;
    geometry->dilation[i] = present ? dilation[from] : 1;
    geometry->pad[i] = present ? pad[from] : 0;
    if (geometry->in[i] < 0 || geometry->out[i] < 0 || geometry->kernel[i] < 1 || geometry->stride[i] < 1 ||
        geometry->dilation[i] < 1)
      return false;
  }
  return true;
}

OutputGrid make_grid(const Geometry& g, int64_t pixels, int64_t column_multiple) {
  OutputGrid grid;
  for (int i = 0; i < 3; ++i) grid.step[i] = larger(1, g.out[i]);
  if (grid.step[2] > pixels) {
    const int64_t parts = divide_up(grid.step[2], larger(pixels, 1));
    grid.step[0] = grid.step[1] = 1;
    grid.step[2] = round_up(divide_up(grid.step[2], parts), column_multiple);
  } else {
    const int64_t rows = larger(1, pixels / grid.step[2]);
    if (rows < grid.step[1]) {
      grid.step[0] = 1;
      grid.step[1] = divide_up(grid.step[1], divide_up(grid.step[1], rows));
    } else {
      grid.step[0] = smaller(grid.step[0], larger(1, rows / grid.step[1]));
    }
  }
  for (int i = 0; i < 3; ++i) grid.blocks[i] = divide_up(g.out[i], grid.step[i]);
  return grid;
}

OutputBlock grid_block(const Geometry& g, const OutputGrid& grid, int64_t index) {
  OutputBlock block;
  for (int i = 2; i >= 0; --i) {
    block.begin[i] = index % grid.blocks[i] * grid.step[i];
    block.count[i] = smaller(grid.step[i], g.out[i] - block.begin[i]);
    index /= grid.blocks[i];
  }
  return block;
}

Band make_band(const Geometry& g, const int64_t count[3]) {
  Band band;
  band.depth = (count[0] - 1) * g.stride[0] + (g.kernel[0] - 1) * g.dilation[0] + 1;
  band.height = (count[1] - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1;
  band.phases = g.dilation[2] == 1 ? smaller(g.stride[2], g.kernel[2]) : g.stride[2];
  band.width = count[2] + (g.kernel[2] - 1) * g.dilation[2] / g.stride[2];
  return band;
}

void band_offsets(const Geometry& g, const Band& band, int64_t channel, int32_t* offsets) {
  for (int64_t z = 0; z < g.kernel[0]; ++z)
    for (int64_t y = 0; y < g.kernel[1]; ++y)
      for (int64_t x = 0; x < g.kernel[2]; ++x) {
        const int64_t column = x * g.dilation[2];
        *offsets++ = static_cast<int32_t>(channel * band.plane() +
                                          (z * g.dilation[0] * band.height + y * g.dilation[1]) * band.row() +
                                          column % g.stride[2] * band.width + column / g.stride[2]);
      }
}

namespace {

// Rows that no tap reads are not filled.
bool row_is_read(const Geometry& g, int axis, int64_t row) {
  return g.dilation[axis] != 1 || row % g.stride[axis] < g.kernel[axis];
}

void fill_values(float* dst, int64_t count, float value) {
  for (int64_t i = 0; i < count; ++i) dst[i] = value;
}

}  // namespace

void fill_band(const PackKernels& pack, const Geometry& g, const OutputBlock& block, const Band& band,
               const float* plane, float fill, float* dst) {
  const int64_t first_depth = block.begin[0] * g.stride[0] - g.pad[0];
  const int64_t first_row = block.begin[1] * g.stride[1] - g.pad[1];
  for (int64_t z = 0; z < band.depth; ++z) {
    const int64_t depth = first_depth + z;
    for (int64_t y = 0; y < band.height; ++y, dst += band.row()) {
      if (!row_is_read(g, 0, z) || !row_is_read(g, 1, y)) continue;
      const int64_t row = first_row + y;
      if (depth < 0 || depth >= g.in[0] || row < 0 || row >= g.in[1]) {
        fill_values(dst, band.row(), fill);
        continue;
      }
      const float* src = plane + (depth * g.in[1] + row) * g.in[2];
      for (int64_t phase = 0; phase < band.phases; ++phase) {
        float* part = dst + phase * band.width;
        // Input column of the part's first element, and the elements that lie inside of the row.
        const int64_t first = block.begin[2] * g.stride[2] + phase - g.pad[2];
        const int64_t step = g.stride[2];
        const int64_t left = smaller(first < 0 ? divide_up(-first, step) : 0, band.width);
        const int64_t end = g.in[2] > first ? divide_up(g.in[2] - first, step) : 0;
        const int64_t right = larger(left, smaller(end, band.width));
        fill_values(part, left, fill);
        if (right > left) pack.gather(src + first + left * step, step, right - left, part + left);
        fill_values(part + right, band.width - right, fill);
      }
    }
  }
}

}  // namespace opgraft::cpu
