// Depthwise and other thin convolutions: every output plane is a weighted sum of shifted rows of a band.
#include "backends/cpu/conv.h"

namespace opgraft::cpu {
namespace {

constexpr int64_t kBandFloats = 12 * 1024;  // leaves room for the output in the first two cache levels

struct Plan {
  OutputGrid grid;
  Band band;
  int64_t offsets_floats, worker_floats;
};

Plan make_plan(const ConvProblem& c) {
  Plan plan;
  const int64_t pixels = kBandFloats / larger(1, c.group_in * c.g.stride[1] * c.g.stride[2]);
  plan.grid = make_grid(c.g, larger(64, pixels), 16);
  plan.band = make_band(c.g, plan.grid.step);
  plan.offsets_floats = padded_floats(c.depth());
  plan.worker_floats = padded_floats(plan.band.plane() * c.group_in);
  return plan;
}

void finish_rows(const EpilogueForm& form, const og_cpu_math& math, float* y, int64_t count, const float* residual) {
  const Finish& finish = form.finish;
  if (residual && !finish.residual_last)
    for (int64_t i = 0; i < count; ++i) y[i] += finish.beta * residual[i];
  math.activate(form.activation, form.a, form.b, y, y, count);
  if (residual && finish.residual_last)
    for (int64_t i = 0; i < count; ++i) y[i] += finish.beta * residual[i];
}

}  // namespace

int64_t window_conv_scratch(const ConvProblem& c, int32_t threads) {
  const Plan plan = make_plan(c);
  return plan.offsets_floats + threads * plan.worker_floats;
}

void run_window_conv(int level, const ConvProblem& c, const ConvArguments& a) {
  const WindowKernels& kernels = window_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const Plan plan = make_plan(c);
  const Geometry& g = c.g;
  int32_t* offsets = reinterpret_cast<int32_t*>(a.scratch);
  for (int64_t channel = 0; channel < c.group_in; ++channel)
    band_offsets(g, plan.band, channel, offsets + channel * g.taps());
  const int64_t blocks = plan.grid.size();
  const bool late = a.form.residual != nullptr || a.form.second_pass;
  const int64_t work = plan.band.plane() * c.depth() * c.group_out;
  for_range(a.parallel, c.batch * c.groups * blocks, larger(1, 65536 / larger(1, work)),
            [&](int64_t begin, int64_t end, int32_t worker) {
              float* band = a.scratch + plan.offsets_floats + worker * plan.worker_floats;
              for (int64_t task = begin; task < end; ++task) {
                const int64_t plane = task / blocks;
                const int64_t group = plane % c.groups;
                const OutputBlock block = grid_block(g, plan.grid, task % blocks);
                OutputBlock full = block;
                for (int i = 0; i < 3; ++i) full.count[i] = plan.grid.step[i];
                for (int64_t channel = 0; channel < c.group_in; ++channel)
                  fill_band(pack, g, full, plan.band, a.x + (plane * c.group_in + channel) * g.in_size(), 0.0f,
                            band + channel * plan.band.plane());
                Window w{};
                w.offsets = offsets;
                w.taps = static_cast<int32_t>(c.depth());
                w.rows = block.count[1];
                w.columns = block.count[2];
                w.src_row = g.stride[1] * plan.band.row();
                w.dst_row = g.out[2];
                w.clamp = a.form.finish.clamp && !late;
                w.low = a.form.finish.low;
                w.high = a.form.finish.high;
                for (int64_t m = 0; m < c.group_out; ++m) {
                  w.weights = a.packed + (group * c.group_out + m) * c.depth();
                  w.bias = a.form.bias_m ? a.form.bias_m[group * c.group_out + m] : 0.0f;
                  const int64_t first = ((plane * c.group_out + m) * g.out[0] + block.begin[0]) * g.out[1] * g.out[2] +
                                        block.begin[1] * g.out[2] + block.begin[2];
                  for (int64_t z = 0; z < block.count[0]; ++z) {
                    w.src = band + plan.band.place(g, z, 0, 0);
                    w.dst = a.y + first + z * g.out[1] * g.out[2];
                    kernels.weighted_sum(w);
                  }
                  if (late)
                    finish_rows(a.form, math_table(level), a.y + first, block.pixels(),
                                a.form.residual ? a.form.residual + first : nullptr);
                }
              }
            });
}

}  // namespace opgraft::cpu
