// Reciprocal: y = 1 / x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Inverse {
  template <class T>
  static OG_INLINE T apply(T x) {
    return T(1) / x;
  }
};

OG_OP(Reciprocal, "", 13) {
  define_unary(op, "One divided by each element.", types::floats, "X", "Y");
  unary_kernels<Inverse, float, double>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
