// Cos: y = cos(x).
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

void run(Run& r) {
  const float* x = r.in<float>(0);
  float* y = r.out<float>(0);
  r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 1024;
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t last = std::min(end, first + kBlock);
      vectorize([=](auto level) OG_SIMD {
        int outside = 0;
        for (int64_t i = first; i < last; ++i) outside |= std::fabs(x[i]) <= simd::kSineRange ? 0 : 1;
        if (outside)
          for (int64_t i = first; i < last; ++i) y[i] = std::cos(x[i]);
        else
          for (int64_t i = first; i < last; ++i) y[i] = simd::cos(level, x[i]);
      });
    }
  });
}

struct Double {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::cos(x);
  }
};

OG_OP(Cos, "", 22) {
  define_unary(op, "The cosine of each element, in radians.", types::floats, "input", "output");
  op.kernel(cpu, f32, &run);
  unary_kernels<Double, double>(op);
  op.earlier(7, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
