// Transposed convolution: one matrix product per part of the input, then its columns are added to the outputs they
// reach.
#include <cstring>

#include "backends/cpu/conv.h"

namespace opgraft::cpu {
namespace {

struct Plan {
  int64_t channels;  // output channels in a task
  int64_t pixels;    // input pixels multiplied at once: whole rows
  int64_t depth;
  int64_t packed_floats, product_floats;

  int64_t worker_floats() const { return packed_floats + product_floats; }
};

Plan make_plan(const TileKernels& t, const ConvProblem& c, int32_t threads) {
  Plan plan;
  const int64_t taps = c.g.taps();
  // A task begins at a whole panel of packed rows.
  int64_t unit = 1;
  while (unit * taps % t.rows != 0) ++unit;
  plan.channels = smaller(round_up(c.group_out, unit), round_up(larger(1, 128 / taps), unit));
  while (threads > 1 && plan.channels > unit &&
         c.batch * c.groups * divide_up(c.group_out, plan.channels) < 2 * threads)
    plan.channels = round_up(plan.channels / 2, unit);
  const int64_t width = larger(1, c.g.in[2]);
  const int64_t rows = larger(1, smaller(c.g.in[0] * c.g.in[1], 512 / width));
  plan.pixels = rows * width;
  plan.depth = larger(1, c.group_in);
  plan.packed_floats = padded_floats(round_up(plan.pixels, t.columns) * plan.depth);
  plan.product_floats = padded_floats(plan.channels * taps * plan.pixels);
  return plan;
}

// Adds one tap's products for one input row to an output row.
void add_row(const PackKernels& pack, const Geometry& g, int64_t tap_column, const float* products, float* y) {
  const int64_t step = g.stride[2];
  const int64_t shift = tap_column * g.dilation[2] - g.pad[2];  // output column of input column 0
  const int64_t begin = shift < 0 ? divide_up(-shift, step) : 0;
  const int64_t end = g.out[2] > shift ? smaller(g.in[2], divide_up(g.out[2] - shift, step)) : 0;
  if (begin >= end) return;
  if (step == 1) {
    pack.add(products + begin, end - begin, y + begin + shift);
    return;
  }
  float* target = y + shift;
  for (int64_t i = begin; i < end; ++i) target[i * step] += products[i];
}

// Adds the products of input rows [first_row, first_row + rows) for one output channel: [taps][pixels].
void add_products(const PackKernels& pack, const Geometry& g, int64_t first_row, int64_t rows, const float* products,
                  int64_t product_row, float* y) {
  for (int64_t kz = 0; kz < g.kernel[0]; ++kz)
    for (int64_t ky = 0; ky < g.kernel[1]; ++ky)
      for (int64_t kx = 0; kx < g.kernel[2]; ++kx, products += product_row)
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t z = (first_row + r) / g.in[1] * g.stride[0] + kz * g.dilation[0] - g.pad[0];
          const int64_t row = (first_row + r) % g.in[1] * g.stride[1] + ky * g.dilation[1] - g.pad[1];
          if (z < 0 || z >= g.out[0] || row < 0 || row >= g.out[1]) continue;
          add_row(pack, g, kx, products + r * g.in[2], y + (z * g.out[1] + row) * g.out[2]);
        }
}

void finish_plane(const EpilogueForm& form, const og_cpu_math& math, float bias, float* y, int64_t count,
                  const float* residual) {
  const Finish& finish = form.finish;
  if (bias != 0.0f)
    for (int64_t i = 0; i < count; ++i) y[i] += bias;
  if (residual && !finish.residual_last)
    for (int64_t i = 0; i < count; ++i) y[i] += finish.beta * residual[i];
  if (form.activation != OG_ACT_NONE) math.activate(form.activation, form.a, form.b, y, y, count);
  if (residual && finish.residual_last)
    for (int64_t i = 0; i < count; ++i) y[i] += finish.beta * residual[i];
}

}  // namespace

int64_t transposed_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads) {
  return threads * make_plan(t, c, threads).worker_floats();
}

void run_transposed_conv(int level, const ConvProblem& c, const ConvArguments& a) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const Geometry& g = c.g;
  const int64_t taps = g.taps();
  const Plan plan = make_plan(t, c, thread_count(a.parallel));
  const int64_t channel_blocks = divide_up(c.group_out, plan.channels);
  const int64_t matrix_rows = c.group_out * taps;
  const Finish plain;
  for_range(a.parallel, c.batch * c.groups * channel_blocks, 1, [&](int64_t begin, int64_t end, int32_t worker) {
    float* packed = a.scratch + worker * plan.worker_floats();
    float* products = packed + plan.packed_floats;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t image_group = task / channel_blocks;
      const int64_t group = image_group % c.groups;
      const int64_t first_channel = task % channel_blocks * plan.channels;
      const int64_t channels = smaller(plan.channels, c.group_out - first_channel);
      const float* x = a.x + image_group * c.group_in * g.in_size();
      float* y = a.y + (image_group * c.group_out + first_channel) * g.out_size();
      std::memset(y, 0, static_cast<size_t>(channels * g.out_size()) * sizeof(float));
      for (int64_t p = 0; p < g.in_size(); p += plan.pixels) {
        const int64_t pixels = smaller(plan.pixels, g.in_size() - p);
        for (int64_t j = 0; j < pixels; j += t.columns)
          pack.panel_from_rows(x + p + j, g.in_size(), c.group_in, smaller(t.columns, pixels - j),
                               packed + j * c.group_in, t.columns);
        Block block{};
        block.rows = channels * taps;
        block.columns = pixels;
        block.depth = c.group_in;
        block.a_packed = true;
        block.a_panel = t.rows * c.group_in;
        block.a = a.packed + group * round_up(matrix_rows, t.rows) * c.group_in + first_channel * taps * c.group_in;
        block.b = packed;
        block.b_panel = t.columns * c.group_in;
        block.b_row = t.columns;
        block.c = products;
        block.c_row = pixels;
        block.finish = &plain;
        multiply_block(t, block);
        for (int64_t m = 0; m < channels; ++m)
          add_products(pack, g, p / g.in[2], pixels / g.in[2], products + m * taps * pixels, pixels,
                       y + m * g.out_size());
      }
      for (int64_t m = 0; m < channels; ++m) {
        const int64_t channel = group * c.group_out + first_channel + m;
        finish_plane(a.form, math_table(level), a.form.bias_m ? a.form.bias_m[channel] : 0.0f, y + m * g.out_size(),
                     g.out_size(),
                     a.form.residual ? a.form.residual + (image_group * c.group_out + first_channel + m) * g.out_size()
                                     : nullptr);
      }
    }
  });
}

}  // namespace opgraft::cpu
