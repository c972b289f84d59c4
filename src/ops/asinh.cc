// Asinh: y = asinh(x).
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::asinh(x);
  }
};

OG_OP(Asinh, "", 22) {
  define_unary(op, "The inverse hyperbolic sine of each element.", types::floats, "input", "output");
  unary_kernels<Value, float, double>(op);
  op.earlier(9, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
