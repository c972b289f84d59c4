// Cos: y = cos(x), x in radians.
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::cos(x);
  }
};

OG_OP(Cos, "", 22) {
  define_unary(op, "The cosine of each element, in radians.", types::floats, "input", "output");
  unary_kernels<Value, float, double>(op);
}

}  // namespace
