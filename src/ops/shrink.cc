// Shrink: y = x < -lambd ? x + bias : x > lambd ? x - bias : 0.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(Shrink, "", 9) {
  define_unary(op, "x moved towards zero by bias; zero within lambd of it.", types::numeric_before_bfloat, "input",
               "output")
      .attr("bias", 0.0f)
      .attr("lambd", 0.5f);
  op.kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      cpu, [](auto zero, Run& r) {
        using T = decltype(zero);
        const T bias = static_cast<T>(r.get("bias", 0.0f));
        const T lambd = static_cast<T>(r.get("lambd", 0.5f));
        map_elements<T>(r, [=](auto, T x) OG_SIMD {
          const T low = static_cast<T>(x + bias), high = static_cast<T>(x - bias);
          return x < -lambd ? low : x > lambd ? high : T(0);
        });
      });
}

}  // namespace
