// Softplus: y = ln(1 + e^x).
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return (x > T(0) ? x : T(0)) + std::log1p(std::exp(x > T(0) ? -x : x));
  }
};

OG_OP(Softplus, "", 22) {
  define_unary(op, "A smooth form of the larger of x and zero.", types::floats, "X", "Y");
  unary_kernels<Value, float, double>(op);
}

}  // namespace
