// What pooling operators share: shapes, the walk over windows, and the fp32 form on the pooling service.
#ifndef OPGRAFT_POOL_H_
#define OPGRAFT_POOL_H_

#include <algorithm>

#include "opgraft/context.h"
#include "opgraft/nn.h"
#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

inline Windows pool_windows(const Node& node, size_t ndim) {
  std::vector<int64_t> kernel = node.ints("kernel_shape");
  if (kernel.size() + 2 != ndim)
    fail("kernel_shape = " + to_string(kernel) + " does not fit an input of rank " + std::to_string(ndim) +
         ", which must be [N, C] and one axis per entry");
  return read_windows(node, std::move(kernel));
}

// Dims of the output for input 0; nothing when its rank is unknown.
inline std::optional<Dims> pool_dims(const Infer& c) {
  if (!c.ranked(0)) return std::nullopt;
  const Dims x = c.dims(0);
  const Windows windows = pool_windows(c, x.size());
  Dims y{x[0], x[1]};
  for (int i = 0; i < windows.spatial(); ++i) y.push_back(window_count(c, windows, i, x[static_cast<size_t>(i) + 2]));
  return y;
}

inline WindowGeometry pool_geometry(const Node& node, const Dims& x, const Dims& y) {
  return window_geometry(pool_windows(node, x.size()), x, y);
}

// Taps of one window along one axis that lie inside the input: [begin, end), and the input index of tap 0.
struct WindowSpan {
  int64_t begin, end, first;
};
inline WindowSpan window_span(const WindowGeometry& g, int axis, int64_t output) {
  WindowSpan span;
  span.first = output * g.stride[axis] - g.pad_begin[axis];
  const int64_t step = g.dilation[axis];
  span.begin = span.first >= 0 ? 0 : (-span.first + step - 1) / step;
  const int64_t room = g.in[axis] - 1 - span.first;
  span.end = room < 0 ? 0 : std::min(g.kernel[axis], room / step + 1);
  span.begin = std::min(span.begin, span.end);
  return span;
}

// Calls visit(offset of an input element in its plane) for each element of the window at an output position.
template <class F>
void for_each_in_window(const WindowGeometry& g, const WindowSpan (&span)[kMaxSpatial], F&& visit) {
  for (int64_t z = span[0].begin; z < span[0].end; ++z)
    for (int64_t row = span[1].begin; row < span[1].end; ++row) {
      const int64_t in_z = span[0].first + z * g.dilation[0], in_row = span[1].first + row * g.dilation[1];
      const int64_t base = (in_z * g.in[1] + in_row) * g.in[2] + span[2].first;
      for (int64_t i = span[2].begin; i < span[2].end; ++i) visit(base + i * g.dilation[2]);
    }
}

// Calls window(plane, index of the output in its plane, spans) for every output of every plane, in parallel.
template <class F>
void for_each_window(const Run& r, const WindowGeometry& g, int64_t planes, F&& window) {
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, g.out_size() * g.taps()));
  r.parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t index = 0;
      WindowSpan span[kMaxSpatial];
      for (int64_t z = 0; z < g.out[0]; ++z) {
        span[0] = window_span(g, 0, z);
        for (int64_t row = 0; row < g.out[1]; ++row) {
          span[1] = window_span(g, 1, row);
          for (int64_t i = 0; i < g.out[2]; ++i, ++index) {
            span[2] = window_span(g, 2, i);
            window(plane, index, span);
          }
        }
      }
    }
  });
}

// The fp32 kernel of MaxPool without indices and of AveragePool.
template <int kKind>
struct PoolService {
  static bool supports(Prepare& p) {
    return service<og_cpu_pool>(OG_CPU_POOL) != nullptr && p.output(1).kind == OG_ABSENT;
  }
  const og_cpu_pool* table = nullptr;

  void pack(Pack&) { table = service<og_cpu_pool>(OG_CPU_POOL); }
  og_pool prepare(Prepare& p) const {
    const Dims x = p.dims(0);
    const WindowGeometry g = pool_geometry(p, x, p.output_dims(0));
    og_pool pool = og_pool_init(kKind, kMaxSpatial);
    g.fill(pool);
    std::copy_n(g.pad_end, kMaxSpatial, pool.pad_end);
    pool.planes = x[0] * x[1];
    pool.count_include_pad = p.get("count_include_pad", int32_t{0});
    p.scratch(table->scratch_bytes(&pool, p.threads()));
    return pool;
  }
  void run(Run& r) const {
    if (table->run(&r.plan<og_pool>(), r.in<float>(0), r.out<float>(0), r.scratch(), r.parallel()) != 0)
      fail("the pooling service refused the windows");
  }
};

// Dims of a global pool's output: every spatial axis becomes 1.
inline void infer_global_pool(Infer& c) {
  if (!c.ranked(0)) return c.out(0, c.dtype(0));
  Dims dims = c.dims(0);
  if (dims.size() < 2) fail("X must have dims [N, C, spatial...], it has " + to_string(dims));
  std::fill(dims.begin() + 2, dims.end(), 1);
  c.out(0, c.dtype(0), dims);
}

// The fp32 kernel of global pools.
template <int kKind>
struct GlobalPoolService {
  static bool supports(Prepare&) { return service<og_cpu_pool>(OG_CPU_POOL) != nullptr; }
  const og_cpu_pool* table = nullptr;

  void pack(Pack&) { table = service<og_cpu_pool>(OG_CPU_POOL); }
  void run(Run& r) const {
    const Tensor x = r.input(0);
    if (table->global(kKind, x.product(0, 2), x.product(2, x.ndim()), x.data<float>(), r.out<float>(0), r.parallel()))
      fail("the pooling service refused the planes");
  }
};

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_POOL_H_
