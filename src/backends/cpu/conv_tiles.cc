// Convolution as a matrix product whose right side is never built: blocks of it are packed from the input, or read in
// place.
#include "backends/cpu/conv.h"

namespace opgraft::cpu {
namespace {

constexpr int64_t kPackedFloats = 48 * 1024;  // of the packed right side, in the second-level cache

// How the work is cut: blocks of pixels, of depth (in input channels), and of output channels.
struct Plan {
  OutputGrid grid;
  int64_t channels;  // input channels in a block of depth
  int64_t rows;      // output channels in a task
  int64_t row_blocks;
  bool direct;  // tiles read the input or the band without packing
  Band band;
  int64_t offsets_floats, band_floats, packed_floats;

  int64_t worker_floats() const { return band_floats + packed_floats; }
};

// A 1 x 1 convolution seen as one long row of pixels.
Geometry flat_geometry(const Geometry& g) {
  Geometry flat = g;
  flat.in[0] = flat.in[1] = flat.out[0] = flat.out[1] = 1;
  flat.in[2] = flat.out[2] = g.out_size();
  return flat;
}

Plan make_plan(const TileKernels& t, const ConvProblem& c, const Geometry& g, int32_t threads) {
  Plan plan{};
  const int64_t taps = g.taps();
  const int64_t group_in = larger(1, c.group_in);
  const int64_t depth = block_depth(t, group_in * taps);
  plan.channels = larger(1, depth / taps);
  plan.channels = divide_up(group_in, divide_up(group_in, plan.channels));
  int64_t pixels = larger(4 * t.columns, kPackedFloats / larger(1, plan.channels * taps));
  plan.rows = round_up(c.group_out, t.rows);
  plan.grid = make_grid(g, pixels, t.columns);
  const auto tasks = [&] { return c.batch * c.groups * plan.grid.size() * divide_up(c.group_out, plan.rows); };
  while (threads > 1 && tasks() < 3 * threads) {
    if (pixels > 4 * t.columns && plan.grid.step[0] * plan.grid.step[1] * plan.grid.step[2] > 4 * t.columns) {
      pixels = larger(4 * t.columns, pixels / 2);
      plan.grid = make_grid(g, pixels, t.columns);
    } else if (plan.rows > 4 * t.rows) {
      plan.rows = round_up(plan.rows / 2, t.rows);
    } else {
      break;
    }
  }
  plan.row_blocks = divide_up(c.group_out, plan.rows);
  const int64_t width = plan.grid.step[2];
  const bool full_panels = round_up(width, t.lanes) * 8 <= width * 9;
  plan.direct = plan.rows <= 4 * t.rows && (c.pointwise || full_panels);
  if (!c.pointwise) {
    plan.band = make_band(g, plan.grid.step);
    plan.offsets_floats = padded_floats(plan.channels * taps);
    plan.band_floats = padded_floats(plan.band.plane() * plan.channels);
  }
  const int64_t most_pixels = plan.grid.step[0] * plan.grid.step[1] * plan.grid.step[2];
  const int64_t packed_columns = plan.direct ? (c.pointwise ? t.columns : 0) : round_up(most_pixels, t.columns);
  plan.packed_floats = padded_floats(packed_columns * plan.channels * taps);
  return plan;
}

// One task: a block of pixels and of output channels of one image and group.
struct Task {
  const float* x;  // first channel of the group
  const float* packed;
  float* y;
  const float* residual;
  const float* bias;
  int64_t rows;
  OutputBlock block;
  int64_t first_pixel;
};

Task make_task(const TileKernels& t, const ConvProblem& c, const Geometry& g, const Plan& plan, const ConvArguments& a,
               int64_t index) {
  Task task;
  const int64_t row_block = index % plan.row_blocks;
  index /= plan.row_blocks;
  task.block = grid_block(g, plan.grid, index % plan.grid.size());
  const int64_t image_group = index / plan.grid.size();
  const int64_t group = image_group % c.groups;
  const int64_t first_row = row_block * plan.rows;
  task.rows = smaller(plan.rows, c.group_out - first_row);
  task.first_pixel = (task.block.begin[0] * g.out[1] + task.block.begin[1]) * g.out[2] + task.block.begin[2];
  const int64_t out = (image_group * c.group_out + first_row) * g.out_size() + task.first_pixel;
  task.x = a.x + image_group * c.group_in * g.in_size();
  task.packed = a.packed + group * c.packed_group_floats(t) + first_row * c.depth();
  task.y = a.y + out;
  task.residual = a.form.residual ? a.form.residual + out : nullptr;
  task.bias = a.form.bias_m ? a.form.bias_m + group * c.group_out + first_row : nullptr;
  return task;
}

Block make_block(const TileKernels& t, const ConvProblem& c, const Geometry& g, const ConvArguments& a,
                 const Task& task, int64_t first_channel, int64_t channels) {
  Block block{};
  const int64_t first_depth = first_channel * g.taps();
  block.rows = task.rows;
  block.depth = channels * g.taps();
  block.a = task.packed + first_depth * t.rows;
  block.a_packed = true;
  block.a_panel = t.rows * c.depth();
  block.b_row = t.columns;
  block.b_panel = t.columns * block.depth;
  block.c = task.y;
  block.c_row = g.out_size();
  block.accumulate = first_channel > 0;
  block.finish = first_channel + channels >= c.group_in ? &a.form.finish : nullptr;
  block.bias_m = task.bias;
  block.residual = a.form.in_tiles(task.residual);
  block.residual_row = g.out_size();
  return block;
}

void multiply_columns(const TileKernels& t, const Block& whole, int64_t from, int64_t columns, const float* b) {
  Block part = whole;
  part.columns = columns;
  part.c += from;
  if (part.residual != nullptr) part.residual += from;
  part.b = b;
  multiply_block(t, part);
}

// Columns of a 1 x 1 convolution: rows of B are rows of the input.
void pointwise_columns(int level, const Plan& plan, const Block& block, const float* x, int64_t x_row, int64_t columns,
                       float* packed) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  if (plan.direct) {
    Block direct = block;
    direct.b_row = x_row;
    direct.b_panel = t.columns;
    const int64_t full = columns / t.columns * t.columns;
    if (full > 0) multiply_columns(t, direct, 0, full, x);
    if (full < columns) {
      pack.panel_from_rows(x + full, x_row, block.depth, columns - full, packed, t.columns);
      multiply_columns(t, block, full, columns - full, packed);
    }
    return;
  }
  constexpr int64_t kRows = 32;  // rows of the input that are read for all panels before the next ones
  for (int64_t k = 0; k < block.depth; k += kRows)
    for (int64_t j = 0; j < columns; j += t.columns)
      pack.panel_from_rows(x + k * x_row + j, x_row, smaller(kRows, block.depth - k), smaller(t.columns, columns - j),
                           packed + j * block.depth + k * t.columns, t.columns);
  multiply_columns(t, block, 0, columns, packed);
}

// Panels of columns that follow each other across output rows.
void pack_panels(int level, const Geometry& g, const Plan& plan, const Task& task, const Block& block,
                 const int32_t* offsets, const float* band, float* packed) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const OutputBlock& out = task.block;
  const int64_t pixels = out.pixels();
  int64_t x = 0, y = 0, z = 0;
  for (int64_t j = 0; j < pixels; j += t.columns) {
    Segment segments[kMaxTileColumns];
    int count = 0;
    const int64_t columns = smaller(t.columns, pixels - j);
    for (int64_t filled = 0; filled < columns;) {
      const int64_t length = smaller(columns - filled, out.count[2] - x);
      segments[count++] = {static_cast<int32_t>(plan.band.place(g, z, y, x)), static_cast<int32_t>(filled),
                           static_cast<int32_t>(length)};
      filled += length;
      x += length;
      if (x == out.count[2]) {
        x = 0;
        if (++y == out.count[1]) {
          y = 0;
          ++z;
        }
      }
    }
    pack.panel_from_segments(band, offsets, block.depth, segments, count, packed + j * block.depth, t.columns);
  }
}

void direct_columns(const TileKernels& t, const Geometry& g, const Plan& plan, const Task& task, const Block& block,
                    const int32_t* offsets, const float* band) {
  Block direct = block;
  direct.b_offsets = offsets;
  direct.b_panel = t.columns;
  const OutputBlock& out = task.block;
  for (int64_t z = 0; z < out.count[0]; ++z)
    for (int64_t y = 0; y < out.count[1]; ++y)
      multiply_columns(t, direct, (z * out.count[1] + y) * out.count[2], out.count[2],
                       band + plan.band.place(g, z, y, 0));
}

template <class Columns>
void run_tasks(int level, const ConvProblem& c, const Geometry& g, const Plan& plan, const ConvArguments& a,
               const Columns& columns) {
  const TileKernels& t = tile_kernels(level);
  const int64_t tasks = c.batch * c.groups * plan.grid.size() * plan.row_blocks;
  for_range(a.parallel, tasks, 1, [&](int64_t begin, int64_t end, int32_t worker) {
    float* scratch = a.scratch + plan.offsets_floats + worker * plan.worker_floats();
    for (int64_t index = begin; index < end; ++index) {
      const Task task = make_task(t, c, g, plan, a, index);
      int64_t channel = 0;
      do {
        const int64_t channels = smaller(plan.channels, c.group_in - channel);
        columns(task, make_block(t, c, g, a, task, channel, channels), channel, channels, scratch);
        channel += plan.channels;
      } while (channel < c.group_in);
      if (a.form.second_pass)
        second_pass(a.form, math_table(level), task.y, g.out_size(), task.rows, task.block.pixels(), task.residual);
    }
  });
}

}  // namespace

int64_t pointwise_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads) {
  const Plan plan = make_plan(t, c, flat_geometry(c.g), threads);
  return threads * plan.worker_floats();
}

void run_pointwise_conv(int level, const ConvProblem& c, const ConvArguments& a) {
  const Geometry g = flat_geometry(c.g);
  const Plan plan = make_plan(tile_kernels(level), c, g, thread_count(a.parallel));
  run_tasks(level, c, g, plan, a, [&](const Task& task, const Block& block, int64_t channel, int64_t, float* scratch) {
    pointwise_columns(level, plan, block, task.x + channel * g.in_size() + task.first_pixel, g.in_size(),
                      task.block.pixels(), scratch);
  });
}

int64_t general_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads) {
  const Plan plan = make_plan(t, c, c.g, threads);
  return plan.offsets_floats + threads * plan.worker_floats();
}

void run_general_conv(int level, const ConvProblem& c, const ConvArguments& a) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const Geometry& g = c.g;
  const Plan plan = make_plan(t, c, g, thread_count(a.parallel));
  int32_t* offsets = reinterpret_cast<int32_t*>(a.scratch);
  for (int64_t channel = 0; channel < plan.channels; ++channel)
    band_offsets(g, plan.band, channel, offsets + channel * g.taps());
  run_tasks(level, c, g, plan, a,
            [&](const Task& task, const Block& block, int64_t first_channel, int64_t channels, float* scratch) {
              OutputBlock full = task.block;
              for (int i = 0; i < 3; ++i) full.count[i] = plan.grid.step[i];
              const BandFiller filler(pack, g, full, plan.band, 0.0f);
              for (int64_t i = 0; i < channels; ++i)
                filler.run(task.x + (first_channel + i) * g.in_size(), scratch + i * plan.band.plane(), true);
              if (plan.direct) {
                direct_columns(t, g, plan, task, block, offsets, scratch);
                return;
              }
              float* packed = scratch + plan.band_floats;
              pack_panels(level, g, plan, task, block, offsets, scratch, packed);
              multiply_columns(t, block, 0, task.block.pixels(), packed);
            });
}

}  // namespace opgraft::cpu
