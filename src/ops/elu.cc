// Elu: y = x < 0 ? alpha * (e^x - 1) : x.
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Elu, "", 22) {
  define_unary(op, "x, an exponential below zero.", types::floats).attr("alpha", 1.0f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 1.0f));
    map_elements<T>(r, [=](auto level, T x) OG_SIMD {
      const T below = alpha * simd::expm1_neg(level, x < T(0) ? x : T(0));
      return x < T(0) ? below : x;
    });
  });
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
