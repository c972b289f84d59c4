// LpPool: the norm of order p of each window.
#include <cmath>

#include <opgraft/op.h>
#include <opgraft/pool.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor input = r.input(0);
  const WindowGeometry g = pool_geometry(r, input.shape(), r.output(0).shape());
  const auto p = static_cast<double>(r.get("p", int64_t(2)));
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  for_each_window(r, g, input.product(0, 2), [&](int64_t plane, int64_t output, const WindowSpan(&span)[kMaxSpatial]) {
    const T* from = x + plane * g.in_size();
    double sum = 0;
    for_each_in_window(g, span, [&](int64_t offset) {
      const double value = std::fabs(static_cast<double>(from[offset]));
      sum += p == 2 ? value * value : p == 1 ? value : std::pow(value, p);
    });
    y[plane * g.out_size() + output] = static_cast<T>(p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p));
  });
}

OG_OP(LpPool, "", 22) {
  op.doc("The norm of order p of each window over the spatial axes of X [N, C, spatial...].")
      .input("X", "T")
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("ceil_mode", 0)
      .optional_attr("dilations", OG_ATTR_INTS)
      .required_attr("kernel_shape", OG_ATTR_INTS)
      .attr("p", 2)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.get("p", int64_t(2)) < 1)
          fail("p is " + std::to_string(c.get("p", int64_t(2))) + ", it must be at least 1");
        if (const auto dims = pool_dims(c))
          c.out(0, c.dtype(0), *dims);
        else
          c.out(0, c.dtype(0));
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .version(
          1,
          [](Op& o) {
            o.input("X", "T")
                .output("Y", "T")
                .attr("auto_pad", "NOTSET")
                .optional_attr("kernel_shape", OG_ATTR_INTS)
                .attr("p", 2.0f)
                .optional_attr("pads", OG_ATTR_INTS)
                .optional_attr("strides", OG_ATTR_INTS)
                .types("T", types::ieee);
          },
          [](Graph& g) {
            if (!g.has_attr("kernel_shape")) fail("attribute kernel_shape is missing");
            g.node("LpPool", {"X"}, {"Y"})
                .attr("p", static_cast<int64_t>(g.get("p", 2.0f)))
                .attr_from("auto_pad")
                .attr_from("kernel_shape")
                .attr_from("pads")
                .attr_from("strides");
          });
  op.earlier(18, [](Op& o) { o.types("T", types::ieee); })
      .earlier(11, [](Op& o) { o.drop("ceil_mode").drop("dilations"); })
      .earlier(2);
}

}  // namespace
