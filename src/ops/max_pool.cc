// MaxPool: the largest element of each window, and on request where it was found.
#include <opgraft/op.h>
#include <opgraft/pool.h>

#include <limits>
using namespace opgraft;
namespace {

// Position of an element in its plane when the first spatial axis runs fastest.
int64_t column_major(const WindowGeometry& g, int64_t offset) {
  const int64_t i = offset % g.in[2], row = offset / g.in[2] % g.in[1], z = offset / g.in[2] / g.in[1];
  return z + g.in[0] * (row + g.in[1] * i);
}

template <class T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <class T>
void max_pool(Run& r) {
  const Tensor input = r.input(0);
  const WindowGeometry g = pool_geometry(r, input.shape(), r.output(0).shape());
  const bool columns = r.get("storage_order", 0) != 0;
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  int64_t* indices = r.uses_output(1) ? r.out<int64_t>(1) : nullptr;
  for_each_window(r, g, input.product(0, 2), [&](int64_t plane, int64_t output, const WindowSpan(&span)[kMaxSpatial]) {
    const T* from = x + plane * g.in_size();
    T best = lowest<T>();
    int64_t found = -1;
    for_each_in_window(g, span, [&](int64_t offset) {
      const T value = from[offset];
      // A NaN wins and stays.
      if (found < 0 || value > best || (value != value && best == best)) best = value, found = offset;
    });
    y[plane * g.out_size() + output] = best;
    if (!indices) return;
    const int64_t position = found < 0 ? 0 : columns ? column_major(g, found) : found;
    indices[plane * g.out_size() + output] = plane * g.in_size() + position;
  });
}

OG_OP(MaxPool, "", 22) {
  op.doc("The maximum of each window over the spatial axes of X [N, C, spatial...]; Indices says where in X it lies.")
      .input("X", "T")
      .output("Y", "T")
      .output("Indices", "I", optional)
      .attr("auto_pad", "NOTSET")
      .attr("ceil_mode", 0)
      .attr("storage_order", 0)
      .optional_attr("dilations", OG_ATTR_INTS)
      .required_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::floats + Dtypes{i8, u8})
      .types("I", {i64})
      .infer([](Infer& c) {
        if (const auto dims = pool_dims(c)) {
          c.out(0, c.dtype(0), *dims);
          if (c.output_count() > 1) c.out(1, i64, *dims);
        } else {
          c.out(0, c.dtype(0));
          if (c.output_count() > 1) c.out(1, i64);
        }
      })
      .pure()
      .kernel<PoolService<OG_POOL_MAX>>(cpu, f32)
      .kernels<double, int8_t, uint8_t>(cpu, [](auto zero, Run& r) { max_pool<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { max_pool<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(12,
             [](Op& o) {
               o.types("T", types::ieee + Dtypes{i8, u8});
             })
      .earlier(11, [](Op& o) { o.types("T", types::ieee); })
      .earlier(10)
      .earlier(8, [](Op& o) { o.drop("dilations").drop("ceil_mode"); })
      .earlier(1, [](Op& o) { o.drop("Indices").drop("storage_order").drop("I"); });
}

}  // namespace
