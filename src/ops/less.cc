// Less: c = a < b, with broadcasting.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Comparison {
  template <class T>
  static OG_INLINE bool apply(T a, T b) {
    return a < b;
  }
};

OG_OP(Less, "", 13) {
  define_compare(op, "Whether a < b, element by element.", types::numeric);
  binary_kernels<Comparison, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      op);
  op.earlier(9, [](Op& o) { o.types("T", types::numeric_before_bfloat); })
      .earlier(7, [](Op& o) { o.types("T", types::ieee); })
      .earlier(
          1, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast);
}

}  // namespace
