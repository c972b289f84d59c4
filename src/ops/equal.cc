// Equal: c = a == b, with broadcasting.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Comparison {
  template <class T>
  static OG_INLINE bool apply(T a, T b) {
    return a == b;
  }
};

OG_OP(Equal, "", 19) {
  define_compare(op, "Whether a == b, element by element.", types::numeric + Dtypes{boolean, str});
  binary_kernels<Comparison, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                 bool>(op);
  op.kernel(cpu, std::vector<TypeBind>{{"T", str}}, [](Run& r) {
    const auto loop = make_broadcast<2>({r.input(0).shape(), r.input(1).shape()}, r.output(0).shape());
    bool* y = r.out<bool>(0);
    for (int64_t i = 0; i < loop.outer; ++i) {
      const auto offsets = loop.offsets(i);
      for (int64_t j = 0; j < loop.inner; ++j)
        y[i * loop.inner + j] =
            r.string(0, offsets[0] + j * loop.steps[0].back()) == r.string(1, offsets[1] + j * loop.steps[1].back());
    }
  });
  op.earlier(13, [](Op& o) { o.types("T", types::numeric + Dtypes{boolean}); })
      .earlier(11, [](Op& o) { o.types("T", types::numeric_before_bfloat + Dtypes{boolean}); })
      .earlier(7,
               [](Op& o) {
                 o.types("T", {i32, i64, boolean});
               })
      .earlier(
          1, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast);
}

}  // namespace
