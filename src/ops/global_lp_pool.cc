// GlobalLpPool: the norm of order p over all spatial axes.
#include <cmath>

#include <opgraft/op.h>
#include <opgraft/pool.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int64_t planes = x.product(0, 2), size = x.product(2, x.ndim());
  const auto p = static_cast<double>(r.get("p", int64_t(2)));
  for (int64_t plane = 0; plane < planes; ++plane) {
    double sum = 0;
    for (int64_t i = 0; i < size; ++i)
      sum += std::pow(std::fabs(static_cast<double>(x.data<T>()[plane * size + i])), p);
    r.out<T>(0)[plane] = static_cast<T>(std::pow(sum, 1 / p));
  }
}

OG_OP(GlobalLpPool, "", 22) {
  op.doc("The norm of order p over all spatial axes of X [N, C, spatial...].")
      .input("X", "T")
      .output("Y", "T")
      .attr("p", 2)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.get("p", int64_t(2)) < 1)
          fail("p is " + std::to_string(c.get("p", int64_t(2))) + ", it must be at least 1");
        infer_global_pool(c);
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .version(
          1, [](Op& o) { o.input("X", "T").output("Y", "T").attr("p", 2.0f).types("T", types::ieee); },
          [](Graph& g) { g.node("GlobalLpPool", {"X"}, {"Y"}).attr("p", static_cast<int64_t>(g.get("p", 2.0f))); });
  op.earlier(2, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
