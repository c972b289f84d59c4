// Swish: y = x * sigmoid(alpha * x).
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Swish, "", 24) {
  define_unary(op, "x times the logistic function of alpha * x.", types::floats).attr("alpha", 1.0f).body([](Graph& g) {
    if (g.dtype(0) == any) return false;
    g.scalar_like("alpha", static_cast<double>(g.get("alpha", 1.0f)), 0);
    g.node("Mul", {"alpha", "X"}, {"scaled"});
    g.node("Sigmoid", {"scaled"}, {"gate"});
    g.node("Mul", {"X", "gate"}, {"Y"});
    return true;
  });
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 1.0f));
    map_elements<T>(r, [=](auto level, T x) OG_SIMD { return x / (T(1) + simd::exp(level, -alpha * x)); });
  });
}

}  // namespace
