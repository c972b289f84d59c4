// Neg: y = -x; integers wrap.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Negative {
  template <class T>
  static OG_INLINE T apply(T x) {
    return wrap_sub(std::is_floating_point_v<T> ? T(-0.0) : T(0), x);
  }
};

OG_OP(Neg, "", 13) {
  define_unary(op, "The negative of each element.", types::floats + types::signed_integers, "X", "Y");
  unary_kernels<Negative, float, double, int8_t, int16_t, int32_t, int64_t>(op);
  op.earlier(6, [](Op& o) {
      o.types("T", types::ieee + Dtypes{i8, i16, i32, i64});
    }).earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS).types("T", types::ieee); });
}

}  // namespace
