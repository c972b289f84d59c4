// Selu: y = gamma * (x < 0 ? alpha * (e^x - 1) : x).
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Selu, "", 22) {
  define_unary(op, "A scaled x, a scaled exponential below zero.", types::floats, "X", "Y")
      .attr("alpha", 1.67326319217681884765625f)
      .attr("gamma", 1.05070102214813232421875f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 1.67326319217681884765625f));
    const T gamma = static_cast<T>(r.get("gamma", 1.05070102214813232421875f));
    map_elements<T>(r, [=](auto level, T x) OG_SIMD {
      const T below = alpha * simd::expm1_neg(level, x < T(0) ? x : T(0));
      return gamma * (x < T(0) ? below : x);
    });
  });
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS).attr("gamma", 1.0506999f).attr("alpha", 1.6732f);
  });
}

}  // namespace
