// Celu: y = x < 0 ? alpha * (e^(x / alpha) - 1) : x.
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Celu, "", 28) {
  define_unary(op, "x, an exponential of scale alpha below zero.", types::floats, "X", "Y").attr("alpha", 1.0f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 1.0f));
    map_elements<T>(r, [=](auto level, T x) OG_SIMD {
      const T below = alpha * simd::expm1_neg(level, x < T(0) ? x / alpha : T(0));
      return x < T(0) ? below : x;
    });
  });
  op.earlier(12, [](Op& o) { o.types("T", {f32}); });
}

}  // namespace
