// Min: The smallest of the inputs, element by element; NaN wins.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Choice {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

OG_OP(Min, "", 13) {
  define_variadic(op, "The smallest of the inputs, element by element; NaN wins.", types::numeric, "data_0", "min")
      .infer([](Infer& c) {
        infer_broadcast(c, c.dtype(0));
        if (c.input_count() == 2) propagate_integers(c, [&](int64_t a, int64_t b) { return c.min(a, b); });
      });
  variadic_kernels<Choice, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(12, [](Op& o) { o.types("T", types::numeric_before_bfloat); })
      .earlier(8, [](Op& o) { o.types("T", types::ieee); })
      .earlier(6)
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS); });
}

}  // namespace
