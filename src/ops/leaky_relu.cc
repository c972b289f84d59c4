// LeakyRelu: y = x < 0 ? alpha * x : x.
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(LeakyRelu, "", 16) {
  define_unary(op, "x, scaled by alpha below zero.", types::floats).attr("alpha", 0.01f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T* x = r.in<T>(0);
    T* y = r.out<T>(0);
    const T alpha = static_cast<T>(r.get("alpha", 0.01f));
    r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
      vectorize([=]() OG_SIMD {
        for (int64_t i = begin; i < end; ++i) y[i] = x[i] < T(0) ? alpha * x[i] : x[i];
      });
    });
  });
}

}  // namespace
