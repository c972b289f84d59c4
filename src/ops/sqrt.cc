// Sqrt: y = square root of x; NaN below zero.
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Root {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::sqrt(x);
  }
};

OG_OP(Sqrt, "", 13) {
  define_unary(op, "The square root of each element.", types::floats, "X", "Y");
  unary_kernels<Root, float, double>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
