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

BandFiller::BandFiller(const PackKernels& pack, const Geometry& g, const OutputBlock& block, const Band& band,
                       float fill)
    : pack_(pack), g_(g), band_(band), fill_(fill) {
  const int64_t sizes[2] = {band.depth, band.height};
  sparse_ = false;
  for (int i = 0; i < 3; ++i) first_[i] = block.begin[i] * g.stride[i] - g.pad[i];
  for (int i = 0; i < 2; ++i) {
    begin_[i] = smaller(larger(0, -first_[i]), sizes[i]);
    end_[i] = larger(begin_[i], smaller(sizes[i], g.in[i] - first_[i]));
    sparse_ = sparse_ || (g.dilation[i] == 1 && g.stride[i] > g.kernel[i]);
  }
  first_part_ = part(0);
}

BandFiller::Part BandFiller::part(int64_t phase) const {
  const int64_t first = first_[2] + phase;
  const int64_t step = g_.stride[2];
  Part p;
  if (step == 1) {
    p.left = larger(0, -first);
    p.right = g_.in[2] - first;
  } else {
    p.left = first < 0 ? divide_up(-first, step) : 0;
    p.right = g_.in[2] > first ? divide_up(g_.in[2] - first, step) : 0;
  }
  p.left = smaller(p.left, band_.width);
  p.right = larger(p.left, smaller(p.right, band_.width));
  p.source = first + p.left * step;
  return p;
}

bool BandFiller::row_is_read(int axis, int64_t row) const {
  return g_.dilation[axis] != 1 || row % g_.stride[axis] < g_.kernel[axis];
}

void BandFiller::fill_borders(float* dst) const {
  const auto put = [this](float* at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) at[i] = fill_;
  };
  const int64_t row = band_.row();
  const int64_t slice = band_.height * row;
  put(dst, begin_[0] * slice);
  put(dst + end_[0] * slice, (band_.depth - end_[0]) * slice);
  for (int64_t z = begin_[0]; z < end_[0]; ++z) {
    float* rows = dst + z * slice;
    put(rows, begin_[1] * row);
    put(rows + end_[1] * row, (band_.height - end_[1]) * row);
    for (int64_t phase = 0; phase < band_.phases; ++phase) {
      const Part p = phase == 0 ? first_part_ : part(phase);
      for (int64_t y = begin_[1]; y < end_[1]; ++y) {
        float* at = rows + y * row + phase * band_.width;
        put(at, p.left);
        put(at + p.right, band_.width - p.right);
      }
    }
  }
}

void BandFiller::run(const float* plane, float* dst, bool borders) const {
  if (borders) fill_borders(dst);
  const int64_t row = band_.row();
  for (int64_t z = begin_[0]; z < end_[0]; ++z) {
    if (sparse_ && !row_is_read(0, z)) continue;
    const float* src = plane + ((first_[0] + z) * g_.in[1] + first_[1]) * g_.in[2];
    float* rows = dst + z * band_.height * row;
    for (int64_t phase = 0; phase < band_.phases; ++phase) {
      const Part p = phase == 0 ? first_part_ : part(phase);
      const int64_t count = p.right - p.left;
      if (count == 0) continue;
      float* at = rows + phase * band_.width + p.left;
      if (!sparse_) {
        pack_.gather_rows(src + begin_[1] * g_.in[2] + p.source, g_.in[2], g_.stride[2], end_[1] - begin_[1], count,
                          at + begin_[1] * row, row);
        continue;
      }
      for (int64_t y = begin_[1]; y < end_[1]; ++y)
        if (row_is_read(1, y))
          pack_.gather_rows(src + y * g_.in[2] + p.source, g_.in[2], g_.stride[2], 1, count, at + y * row, row);
    }
  }
}

}  // namespace opgraft::cpu
