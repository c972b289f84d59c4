// Softplus: y = ln(1 + e^x).
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(Softplus, "", 22) {
  define_unary(op, "A smooth form of the larger of x and zero.", types::floats, "X", "Y");
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    map_elements<T>(r, [](auto level, T x) OG_SIMD {
      const T tail = simd::log1p(level, simd::exp_neg(level, x > T(0) ? -x : x));
      return (x < T(0) ? T(0) : x) + tail;
    });
  });
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
