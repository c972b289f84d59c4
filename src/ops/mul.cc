// Mul: c = a * b, with broadcasting; integers wrap.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Arithmetic {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    return wrap_mul(a, b);
  }
};

OG_OP(Mul, "", 14) {
  define_binary(op, "The product of two tensors.", types::numeric).infer([](Infer& c) {
    infer_broadcast(c, c.dtype(0));
    propagate_integers(c, [&](int64_t a, int64_t b) { return c.mul(a, b); });
  });
  binary_kernels<Arithmetic, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      op);
  op.earlier(13, [](Op& o) { o.types("T", types::high_precision); })
      .earlier(7, [](Op& o) { o.types("T", types::high_precision_before_bfloat); })
      .earlier(
          6, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast)
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS).types("T", types::ieee); });
}

}  // namespace
