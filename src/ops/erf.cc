// Erf: y = erf(x).
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Double {
  template <class T>
  static OG_INLINE T apply(T x) {
    return static_cast<T>(std::erf(static_cast<double>(x)));
  }
};

OG_OP(Erf, "", 13) {
  define_unary(op, "The error function of each element.", types::floats, "input", "output");
  op.kernel<MathRow<&og_cpu_math::erf>>(cpu, f32);
  unary_kernels<Double, double>(op);
}

namespace version_9 {

OG_OP(Erf, "", 9) {
  op.doc("The error function of each element; of integers, rounded towards zero.")
      .input("input", "T")
      .output("output", "T")
      .types("T", types::numeric_before_bfloat)
      .infer([](Infer& c) { c.same(0, 0); })
      .body([](Graph& g) {
        if (g.dtype(0) == any) return false;
        if (is_float(g.dtype(0))) {
          g.node("Erf", {"input"}, {"output"});
        } else {
          g.node("Cast", {"input"}, {"real"}).attr("to", int64_t(f64));
          g.node("Erf", {"real"}, {"value"});
          g.node("Cast", {"value"}, {"output"}).attr("to", int64_t(g.dtype(0)));
        }
        return true;
      })
      .pure();
}

}  // namespace version_9

}  // namespace
