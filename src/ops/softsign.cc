// Softsign: y = x / (1 + |x|).
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return x / (T(1) + std::fabs(x));
  }
};

OG_OP(Softsign, "", 22) {
  define_unary(op, "x over one more than its size.", types::floats, "input", "output");
  unary_kernels<Value, float, double>(op);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
