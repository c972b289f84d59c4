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

// One block of pixels of planes [begin, end); a plane is a group of one image.
void run_block(int level, const ConvProblem& c, const ConvArguments& a, const Plan& plan, const int32_t* offsets,
               const OutputBlock& block, int64_t begin, int64_t end, float* band) {
  const WindowKernels& kernels = window_kernels(level);
  const Geometry& g = c.g;
  const bool late = a.form.residual != nullptr || a.form.second_pass;
  OutputBlock full = block;
  for (int i = 0; i < 3; ++i) full.count[i] = plan.grid.step[i];
  const BandFiller filler(pack_kernels(level), g, full, plan.band, 0.0f);
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
  const int64_t first = (block.begin[0] * g.out[1] + block.begin[1]) * g.out[2] + block.begin[2];
  int64_t group = begin % c.groups;
  for (int64_t plane = begin; plane < end; ++plane, group = group + 1 == c.groups ? 0 : group + 1) {
    for (int64_t channel = 0; channel < c.group_in; ++channel)
      filler.run(a.x + (plane * c.group_in + channel) * g.in_size(), band + channel * plan.band.plane(),
                 plane == begin);
    for (int64_t m = 0; m < c.group_out; ++m) {
      w.weights = a.packed + (group * c.group_out + m) * c.depth();
      w.bias = a.form.bias_m ? a.form.bias_m[group * c.group_out + m] : 0.0f;
      const int64_t at = (plane * c.group_out + m) * g.out_size() + first;
      for (int64_t z = 0; z < block.count[0]; ++z) {
        w.src = band + plan.band.place(g, z, 0, 0);
        w.dst = a.y + at + z * g.out[1] * g.out[2];
        kernels.weighted_sum(w);
      }
      if (late)
        finish_rows(a.form, math_table(level), a.y + at, block.pixels(),
                    a.form.residual ? a.form.residual + at : nullptr);
    }
  }
}

}  // namespace

int64_t window_conv_scratch(const ConvProblem& c, int32_t threads) {
  const Plan plan = make_plan(c);
  return plan.offsets_floats + threads * plan.worker_floats;
}

void run_window_conv(int level, const ConvProblem& c, const ConvArguments& a) {
  const Plan plan = make_plan(c);
  int32_t* offsets = reinterpret_cast<int32_t*>(a.scratch);
  for (int64_t channel = 0; channel < c.group_in; ++channel)
    band_offsets(c.g, plan.band, channel, offsets + channel * c.g.taps());
  // Planes are the inner index, so that borders are filled once for all planes of a block.
  const int64_t planes = c.batch * c.groups;
  const int64_t work = plan.band.plane() * c.depth() * c.group_out;
  for_range(a.parallel, planes * plan.grid.size(), larger(1, 65536 / larger(1, work)),
            [&](int64_t begin, int64_t end, int32_t worker) {
              float* band = a.scratch + plan.offsets_floats + worker * plan.worker_floats;
              while (begin < end) {
                const int64_t block = begin / planes;
                const int64_t plane = begin - block * planes;
                const int64_t plane_end = smaller(planes, plane + end - begin);
                run_block(level, c, a, plan, offsets, grid_block(c.g, plan.grid, block), plane, plane_end, band);
                begin += plane_end - plane;
              }
            });
}

}  // namespace opgraft::cpu
