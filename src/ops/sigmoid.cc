// Sigmoid: y = 1 / (1 + e^-x).
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Double {
  template <class T>
  static OG_INLINE T apply(T x) {
    return 1 / (1 + std::exp(-x));
  }
};

OG_OP(Sigmoid, "", 13) {
  define_unary(op, "The logistic function of each element.", types::floats, "X", "Y");
  op.kernel<MathRow<&og_cpu_math::sigmoid>>(cpu, f32);
  unary_kernels<Double, double>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
