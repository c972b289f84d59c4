// Div: c = a / b, with broadcasting; integers truncate towards zero.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

// Division by zero of integers has no defined result; it gives 0 here instead of ending the process.
struct Quotient {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) return T(0);
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1)) return wrap_sub(T(0), a);
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};

OG_OP(Div, "", 14) {
  define_binary(op, "The quotient of two tensors.", types::numeric).infer([](Infer& c) {
    infer_broadcast(c, c.dtype(0));
    propagate_integers(c, [&](int64_t a, int64_t b) {
      if (is_known(a) && is_known(b)) return Quotient::apply(a, b);
      return is_known(b) && b > 0 ? c.floor_div(a, b) : kUnknown;  // dims are not negative
    });
  });
  binary_kernels<Quotient, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(13, [](Op& o) { o.types("T", types::high_precision); })
      .earlier(7, [](Op& o) { o.types("T", types::high_precision_before_bfloat); })
      .earlier(
          6, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast)
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS).types("T", types::ieee); });
}

}  // namespace
