// Relu: y = max(x, 0); NaN stays NaN.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Positive {
  template <class T>
  static OG_INLINE T apply(T x) {
    return x < T(0) ? T(0) : x;
  }
};

OG_OP(Relu, "", 14) {
  define_unary(op, "The larger of each element and zero.", types::floats + types::signed_integers, "X", "Y");
  unary_kernels<Positive, float, double, int8_t, int16_t, int32_t, int64_t>(op);
  op.earlier(13, [](Op& o) { o.types("T", types::floats); })
      .earlier(6, [](Op& o) { o.types("T", types::ieee); })
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS); });
}

}  // namespace
