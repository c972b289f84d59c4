// Abs: y = |x|.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Absolute {
  template <class T>
  static OG_INLINE T apply(T x) {
    return x < T(0) ? wrap_sub(T(0), x) : x == T(0) ? T(0) : x;
  }
};

OG_OP(Abs, "", 13) {
  define_unary(op, "The absolute value of each element.", types::numeric, "X", "Y");
  unary_kernels<Absolute, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(6, [](Op& o) { o.types("T", types::numeric_before_bfloat); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS).types("T", types::ieee);
  });
}

}  // namespace
