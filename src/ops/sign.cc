// Sign: y = -1, 0 or 1 by the sign of x; NaN stays NaN.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return x > T(0) ? T(1) : x < T(0) ? static_cast<T>(-1) : x;
  }
};

OG_OP(Sign, "", 13) {
  define_unary(op, "The sign of each element.", types::numeric, "input", "output");
  unary_kernels<Value, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(9, [](Op& o) { o.types("T", types::numeric_before_bfloat); });
}

}  // namespace
