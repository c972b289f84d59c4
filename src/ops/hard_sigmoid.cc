// HardSigmoid: y = clip(alpha * x + beta, 0, 1).
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(HardSigmoid, "", 22) {
  define_unary(op, "A piecewise linear form of the logistic function.", types::floats)
      .attr("alpha", 0.2f)
      .attr("beta", 0.5f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 0.2f)), beta = static_cast<T>(r.get("beta", 0.5f));
    map_elements<T>(r, [=](auto, T x) OG_SIMD {
      const T line = x * alpha + beta;
      const T raised = line < T(0) ? T(0) : line;
      return raised > T(1) ? T(1) : raised;
    });
  });
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
