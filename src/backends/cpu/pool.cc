// The pooling service: maximum and average over windows or whole planes.
#include <cmath>

#include "backends/cpu/band.h"
#include "backends/cpu/drivers.h"
#include "backends/cpu/kernels.h"

namespace opgraft::cpu {
namespace {

constexpr int64_t kBlockPixels = 4096;

bool read_pool(const og_pool* p, Geometry* g) {
  return p != nullptr && p->size >= sizeof(og_pool) && p->planes >= 0 &&
         (p->kind == OG_POOL_MAX || p->kind == OG_POOL_AVERAGE) &&
         read_geometry(p->spatial, p->in, p->out, p->kernel, p->stride, p->dilation, p->pad_begin, g);
}

struct Plan {
  OutputGrid grid;
  Band band;
  int64_t offsets_floats, ones_floats, factors_floats, worker_floats;
};

Plan make_plan(const Geometry& g) {
  Plan plan;
  plan.grid = make_grid(g, larger(64, kBlockPixels / (g.stride[1] * g.stride[2])), 16);
  plan.band = make_band(g, plan.grid.step);
  plan.offsets_floats = padded_floats(g.taps());
  plan.ones_floats = padded_floats(g.taps());
  plan.factors_floats = padded_floats(g.out[0] + g.out[1] + g.out[2]);
  plan.worker_floats = padded_floats(plan.band.plane());
  return plan;
}

// 1 / (taps of a window that count), per output of one axis; 0 where none does.
void axis_factors(const og_pool& p, const Geometry& g, int axis, float* factors) {
  const int from = axis - (3 - p.spatial);
  const int64_t pad_end = from >= 0 ? p.pad_end[from] : 0;
  const int64_t low = p.count_include_pad ? -g.pad[axis] : 0;
  const int64_t high = p.count_include_pad ? g.in[axis] + pad_end : g.in[axis];
  for (int64_t o = 0; o < g.out[axis]; ++o) {
    int64_t count = 0;
    for (int64_t k = 0; k < g.kernel[axis]; ++k) {
      const int64_t i = o * g.stride[axis] - g.pad[axis] + k * g.dilation[axis];
      if (i >= low && i < high) ++count;
    }
    factors[o] = count > 0 ? 1.0f / static_cast<float>(count) : 0.0f;
  }
}

void pool_block(int level, const og_pool& p, const Geometry& g, const Plan& plan, const int32_t* offsets,
                const float* ones, const float* factors, const OutputBlock& block, const BandFiller& filler,
                bool borders, const float* x, float* y, float* band_floats) {
  const WindowKernels& kernels = window_kernels(level);
  const Band& band = plan.band;
  const bool maximum = p.kind == OG_POOL_MAX;
  filler.run(x, band_floats, borders);
  Window w{};
  w.offsets = offsets;
  w.weights = ones;
  w.taps = static_cast<int32_t>(g.taps());
  w.rows = block.count[1];
  w.columns = block.count[2];
  w.src_row = g.stride[1] * band.row();
  w.dst_row = g.out[2];
  for (int64_t z = 0; z < block.count[0]; ++z) {
    w.src = band_floats + band.place(g, z, 0, 0);
    w.dst = y + ((block.begin[0] + z) * g.out[1] + block.begin[1]) * g.out[2] + block.begin[2];
    if (maximum) {
      kernels.maximum(w);
      continue;
    }
    kernels.weighted_sum(w);
    const float depth_factor = factors[block.begin[0] + z];
    for (int64_t r = 0; r < w.rows; ++r)
      kernels.multiply(factors + g.out[0] + g.out[1] + block.begin[2],
                       depth_factor * factors[g.out[0] + block.begin[1] + r], w.dst + r * w.dst_row, w.columns);
  }
}

int32_t run_pool(int level, const og_pool* pool, const float* x, float* y, void* scratch, const og_parallel* parallel) {
  Geometry g;
  if (!read_pool(pool, &g)) return 1;
  if (pool->planes == 0 || g.out_size() == 0) return 0;
  const Plan plan = make_plan(g);
  float* floats = static_cast<float*>(scratch);
  int32_t* offsets = reinterpret_cast<int32_t*>(floats);
  float* ones = floats + plan.offsets_floats;
  float* factors = ones + plan.ones_floats;
  float* bands = factors + plan.factors_floats;
  band_offsets(g, plan.band, 0, offsets);
  if (pool->kind == OG_POOL_AVERAGE) {
    for (int64_t i = 0; i < g.taps(); ++i) ones[i] = 1.0f;
    axis_factors(*pool, g, 0, factors);
    axis_factors(*pool, g, 1, factors + g.out[0]);
    axis_factors(*pool, g, 2, factors + g.out[0] + g.out[1]);
  }
  // Planes are the inner index, so that borders are filled once for all planes of a block.
  const int64_t planes = pool->planes;
  const int64_t grain = larger(1, 16384 / larger(1, plan.band.plane()));
  for_range(parallel, planes * plan.grid.size(), grain, [&](int64_t begin, int64_t end, int32_t worker) {
    float* band = bands + worker * plan.worker_floats;
    while (begin < end) {
      const int64_t block_index = begin / planes;
      const int64_t plane = begin - block_index * planes;
      const int64_t plane_end = smaller(planes, plane + end - begin);
      const OutputBlock block = grid_block(g, plan.grid, block_index);
      // A block at the border of the grid keeps the layout of the full one.
      OutputBlock full = block;
      for (int i = 0; i < 3; ++i) full.count[i] = plan.grid.step[i];
      const BandFiller filler(pack_kernels(level), g, full, plan.band, pool->kind == OG_POOL_MAX ? -INFINITY : 0.0f);
      for (int64_t i = plane; i < plane_end; ++i)
        pool_block(level, *pool, g, plan, offsets, ones, factors, block, filler, i == plane, x + i * g.in_size(),
                   y + i * g.out_size(), band);
      begin += plane_end - plane;
    }
  });
  return 0;
}

int32_t run_global(int level, int32_t kind, int64_t planes, int64_t count, const float* x, float* y,
                   const og_parallel* parallel) {
  if ((kind != OG_POOL_MAX && kind != OG_POOL_AVERAGE) || planes < 0 || count < 0) return 1;
  const og_cpu_math& math = math_table(level);
  for_range(parallel, planes, larger(1, 32768 / larger(1, count)), [&](int64_t begin, int64_t end, int32_t) {
    for (int64_t i = begin; i < end; ++i) {
      const float* plane = x + i * count;
      y[i] = kind == OG_POOL_MAX ? math.max(plane, count)
                                 : (count > 0 ? math.sum(plane, count) / static_cast<float>(count) : 0.0f);
    }
  });
  return 0;
}

template <int kLevel>
constexpr og_cpu_pool make_table() {
  og_cpu_pool table{};
  table.size = sizeof table;
  table.level = kLevel;
  table.scratch_bytes = [](const og_pool* pool, int32_t threads) -> uint64_t {
    Geometry g;
    if (!read_pool(pool, &g) || g.out_size() == 0) return 0;
    const Plan plan = make_plan(g);
    return static_cast<uint64_t>(plan.offsets_floats + plan.ones_floats + plan.factors_floats +
                                 larger(1, threads) * plan.worker_floats) *
           sizeof(float);
  };
  table.run = [](const og_pool* pool, const float* x, float* y, void* scratch, const og_parallel* parallel) -> int32_t {
    return run_pool(kLevel, pool, x, y, scratch, parallel);
  };
  table.global = [](int32_t kind, int64_t planes, int64_t count, const float* x, float* y,
                    const og_parallel* parallel) -> int32_t {
    return run_global(kLevel, kind, planes, count, x, y, parallel);
  };
  return table;
}

}  // namespace

const og_cpu_pool& pool_table(int level) {
  static constexpr og_cpu_pool kTables[] = {make_table<0>(), make_table<1>(), make_table<2>()};
  return kTables[level];
}

}  // namespace opgraft::cpu
