// HardSwish: y = x * clip(x / 6 + 1 / 2, 0, 1).
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    const T gate = x * T(1.0 / 6) + T(0.5);
    return x * (gate < T(0) ? T(0) : gate > T(1) ? T(1) : gate);
  }
};

OG_OP(HardSwish, "", 22) {
  define_unary(op, "x times a piecewise linear gate.", types::floats, "X", "Y");
  unary_kernels<Value, float, double>(op);
  op.earlier(14, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
