// Ceil: y = ceil(x).
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Rounded {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::ceil(x);
  }
};

OG_OP(Ceil, "", 13) {
  define_unary(op, "The smallest integer not below each element.", types::floats, "X", "Y");
  unary_kernels<Rounded, float, double>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
