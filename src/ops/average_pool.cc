// AveragePool: the mean of each window.
#include <opgraft/op.h>
#include <opgraft/pool.h>
using namespace opgraft;
namespace {

// Taps of a window inside the padded input: what a mean that counts pads divides by.
int64_t padded_count(const WindowGeometry& g, int axis, int64_t first) {
  const int64_t step = g.dilation[axis], limit = g.in[axis] + g.pad_end[axis];
  return first >= limit ? 0 : std::min(g.kernel[axis], (limit - 1 - first) / step + 1);
}

template <class T>
void average_pool(Run& r) {
  const Tensor input = r.input(0);
  const WindowGeometry g = pool_geometry(r, input.shape(), r.output(0).shape());
  const bool count_pads = r.get("count_include_pad", 0) != 0;
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  for_each_window(r, g, input.product(0, 2), [&](int64_t plane, int64_t output, const WindowSpan(&span)[kMaxSpatial]) {
    const T* from = x + plane * g.in_size();
    T sum = 0;
    for_each_in_window(g, span, [&](int64_t offset) { sum += from[offset]; });
    int64_t count = 1;
    for (int axis = 0; axis < kMaxSpatial; ++axis)
      count *= count_pads ? padded_count(g, axis, span[axis].first) : span[axis].end - span[axis].begin;
    y[plane * g.out_size() + output] = count > 0 ? sum / static_cast<T>(count) : T(0);
  });
}

OG_OP(AveragePool, "", 22) {
  op.doc(
        "The mean of each window over the spatial axes of X [N, C, spatial...]; pads count when count_include_pad is "
        "1.")
      .input("X", "T")
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("ceil_mode", 0)
      .attr("count_include_pad", 0)
      .optional_attr("dilations", OG_ATTR_INTS)
      .required_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (const auto dims = pool_dims(c))
          c.out(0, c.dtype(0), *dims);
        else
          c.out(0, c.dtype(0));
      })
      .pure()
      .kernel<PoolService<OG_POOL_AVERAGE>>(cpu, f32)
      .kernels<double>(cpu, [](auto zero, Run& r) { average_pool<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { average_pool<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(19, [](Op& o) { o.types("T", types::ieee); })
      .earlier(11, [](Op& o) { o.drop("dilations"); })
      .earlier(10)
      .earlier(7, [](Op& o) { o.drop("ceil_mode"); })
      .earlier(1, [](Op& o) { o.drop("count_include_pad"); });
}

}  // namespace
