// PRelu: y = x < 0 ? slope * x : x, with a slope that broadcasts to x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Sloped {
  template <class T>
  static OG_INLINE T apply(T x, T slope) {
    const T scaled = wrap_mul(slope, x);
    return x < T(0) ? scaled : x;
  }
};

OG_OP(PRelu, "", 16) {
  op.doc("x, scaled by slope below zero; slope broadcasts to the shape of x.")
      .input("X", "T")
      .input("slope", "T")
      .output("Y", "T")
      .types("T", types::floats + Dtypes{i32, i64, u32, u64})
      .infer([](Infer& c) {
        c.same(0, 0);
        if (!c.ranked(0) || !c.ranked(1)) return;
        const Dims x = c.dims(0), both = broadcast_dims(x, c.dims(1));
        bool fits = both.size() == x.size();
        for (size_t i = 0; fits && i < x.size(); ++i) fits = is_symbol(x[i]) || is_symbol(both[i]) || x[i] == both[i];
        if (!fits) fail("slope " + to_string(c.dims(1)) + " does not broadcast to X " + to_string(x));
      })
      .inplace(0, 0)
      .pure();
  binary_kernels<Sloped, float, double, int32_t, int64_t, uint32_t, uint64_t>(op);
  op.earlier(9, [](Op& o) { o.types("T", types::high_precision_before_bfloat); })
      .earlier(7, [](Op& o) { o.types("T", types::ieee); })
      .earlier(6, nullptr, [](Graph& g) { raise_axis_broadcast(g, 1); })  // slope: one, or one for each channel
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS); });
}

}  // namespace
