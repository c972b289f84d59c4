// Exp: y = e^x.
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Double {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::exp(x);
  }
};

OG_OP(Exp, "", 13) {
  define_unary(op, "The exponential of each element.", types::floats, "input", "output");
  op.kernel<MathRow<&og_cpu_math::exp>>(cpu, f32);
  unary_kernels<Double, double>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
