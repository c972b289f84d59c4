// Shrink: y = x < -lambd ? x + bias : x > lambd ? x - bias : 0.
#include <cmath>
#include <type_traits>

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
        // Integers are compared in double precision: -lambd is no unsigned number, and its fraction counts.
        using Wide = std::conditional_t<std::is_same_v<T, float>, float, double>;
        const Wide lambd = static_cast<Wide>(r.get("lambd", 0.5f));
        const float number = r.get("bias", 0.0f);
        if constexpr (std::is_floating_point_v<T>) {
          const T bias = static_cast<T>(number);
          map_elements<T>(r, [=](auto, T x) OG_SIMD {
            const T low = x + bias, high = x - bias;
            return x < -lambd ? low : x > lambd ? high : T(0);
          });
        } else {
          if (!(std::abs(number) < 0x1p62f)) fail("bias = " + std::to_string(number) + " is out of reach of integers");
          const auto bias = static_cast<uint64_t>(static_cast<int64_t>(number));
          map_elements<T>(r, [=](auto, T x) {
            const auto wide = static_cast<Wide>(x);
            const auto bits = static_cast<uint64_t>(x);
            return wide < -lambd ? static_cast<T>(bits + bias) : wide > lambd ? static_cast<T>(bits - bias) : T(0);
          });
        }
      });
}

}  // namespace
