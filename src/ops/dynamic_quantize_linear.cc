// DynamicQuantizeLinear: quantizes to uint8 with the scale and zero point that the data's own range gives.
#include <opgraft/op.h>
#include <opgraft/vectorize.h>

#include <algorithm>
#include <cmath>
using namespace opgraft;
namespace {

void run(Run& r) {
  const Tensor x = r.input(0);
  const float* from = x.data<float>();
  const int64_t n = x.numel();
  float low = 0, high = 0;  // the range includes zero
  vectorize([&]() OG_SIMD {
    const float* p = from;
    float least = 0, most = 0;
    for (int64_t i = 0; i < n; ++i) {
      least = p[i] < least ? p[i] : least;
      most = p[i] > most ? p[i] : most;
    }
    low = least;
    high = most;
  });
  const float scale = (high - low) / 255.0f;
  const float zero = scale == 0 ? 0.0f : std::nearbyint(std::clamp(-low / scale, 0.0f, 255.0f));
  *r.output(1, {}).data<float>() = scale;
  *r.output(2, {}).data<uint8_t>() = static_cast<uint8_t>(zero);
  uint8_t* to = r.output(0, x.shape()).data<uint8_t>();
  r.parallel_for(n, 16384, [=](int64_t begin, int64_t end) {
    vectorize([=]() OG_SIMD {
      constexpr float kMagic = 12582912.0f;  // adding it rounds to the nearest whole number
      for (int64_t i = begin; i < end; ++i) {
        float value = scale == 0 ? 0.0f : from[i] / scale;
        value = (value + kMagic) - kMagic + zero;
        value = value < 0.0f ? 0.0f : value;
        value = value > 255.0f ? 255.0f : value;
        to[i] = static_cast<uint8_t>(static_cast<int32_t>(value));
      }
    });
  });
}

OG_OP(DynamicQuantizeLinear, "", 11) {
  op.doc("x in uint8, with the scale and zero point of its own range (zero included).")
      .input("x", "T1")
      .output("y", "T2")
      .output("y_scale", "tensor(float)")
      .output("y_zero_point", "T2")
      .types("T1", {f32})
      .types("T2", {u8})
      .infer([](Infer& c) {
        if (c.ranked(0))
          c.out(0, u8, c.dims(0));
        else
          c.out(0, u8);
        c.out(1, f32, Dims{});
        c.out(2, u8, Dims{});
      })
      .kernel(cpu, &run)
      .pure();
}

}  // namespace
