// Mish: y = x * tanh(ln(1 + e^x)).
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Mish, "", 22) {
  define_unary(op, "x times the hyperbolic tangent of its softplus.", types::floats, "X", "Y").body([](Graph& g) {
    g.node("Softplus", {"X"}, {"plus"});
    g.node("Tanh", {"plus"}, {"gate"});
    g.node("Mul", {"X", "gate"}, {"Y"});
  });
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    // tanh(ln(1 + e)) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1) with e = e^x; for positive x in powers of e^-x, which stay
    // small.
    map_elements<T>(r, [](auto level, T x) OG_SIMD {
      const T e = simd::exp_neg(level, x < T(0) ? x : -x);
      const T above = (T(1) + T(2) * e) / (T(1) + T(2) * e + T(2) * e * e);
      const T below = e * (e + T(2)) / (e * (e + T(2)) + T(2));
      return x * (x < T(0) ? below : above);
    });
  });
  op.earlier(18, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
