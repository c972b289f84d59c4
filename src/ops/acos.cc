// Acos: y = acos(x).
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::acos(x);
  }
};

OG_OP(Acos, "", 22) {
  define_unary(op, "The arccosine of each element, in radians.", types::floats, "input", "output");
  unary_kernels<Value, float, double>(op);
  op.earlier(7, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
