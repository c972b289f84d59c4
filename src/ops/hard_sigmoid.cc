// HardSigmoid: y = clip(alpha * x + beta, 0, 1).
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(HardSigmoid, "", 22) {
  define_unary(op, "A piecewise linear form of the logistic function.", types::floats)
      .attr("alpha", 0.2f)
      .attr("beta", 0.5f);
  op.kernels<float, double>(cpu, [](auto zero, Run& r) {
    using T = decltype(zero);
    const T* x = r.in<T>(0);
    T* y = r.out<T>(0);
    const T alpha = static_cast<T>(r.get("alpha", 0.2f));
    const T beta = static_cast<T>(r.get("beta", 0.5f));
    r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
      vectorize([=]() OG_SIMD {
        for (int64_t i = begin; i < end; ++i)
          y[i] = x[i] * alpha + beta < T(0) ? T(0) : x[i] * alpha + beta > T(1) ? T(1) : x[i] * alpha + beta;
      });
    });
  });
}

}  // namespace
