// ThresholdedRelu: y = x > alpha ? x : 0.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(ThresholdedRelu, "", 22) {
  define_unary(op, "x where it is above alpha, else zero.", types::floats, "X", "Y").attr("alpha", 1.0f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T alpha = static_cast<T>(r.get("alpha", 1.0f));
    map_elements<T>(r, [=](auto, T x) OG_SIMD { return x > alpha ? x : T(0); });
  });
  op.earlier(10, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
