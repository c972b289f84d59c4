// Sin: y = sin(x), x in radians.
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::sin(x);
  }
};

OG_OP(Sin, "", 22) {
  define_unary(op, "The sine of each element, in radians.", types::floats, "input", "output");
  unary_kernels<Value, float, double>(op);
}

}  // namespace
