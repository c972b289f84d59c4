// Erf: y = erf(x).
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Double {
  template <class T>
  static OG_INLINE T apply(T x) {
    return static_cast<T>(std::erf(static_cast<double>(x)));
  }
};

OG_OP(Erf, "", 13) {
  define_unary(op, "The error function of each element.", types::numeric, "input", "output");
  op.kernel<MathRow<&og_cpu_math::erf>>(cpu, f32);
  unary_kernels<Double, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
