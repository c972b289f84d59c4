// LeakyRelu: y = x < 0 ? alpha * x : x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(LeakyRelu, "", 16) {
  define_unary(op, "x, scaled by alpha below zero.", types::floats).attr("alpha", 0.01f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 0.01f));
    map_elements<T>(r, [=](auto, T x) OG_SIMD {
      const T scaled = alpha * x;  // on its own, so that nothing is left to branch over
      return x < T(0) ? scaled : x;
    });
  });
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
