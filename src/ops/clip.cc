// Clip: each element moved into [min, max]; NaN stays NaN.
#include <limits>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(Clip, "", 13) {
  op.doc("Each element limited to the range from min to max; an omitted bound does not limit.")
      .input("input", "T")
      .input("min", "T", optional)
      .input("max", "T", optional)
      .output("output", "T")
      .types("T", types::numeric)
      .infer([](Infer& c) { c.same(0, 0); })
      .inplace(0, 0)
      .pure()
      .version(
          12,
          [](Op& o) {
            o.input("input", "T")
                .input("min", "T", optional)
                .input("max", "T", optional)
                .output("output", "T")
                .types("T", types::numeric_before_bfloat);
          },
          [](Graph& g) {
            g.node("Clip", {"input", "min", "max"}, {"output"});
          })
      .version(
          6,
          [](Op& o) {
            o.input("input", "T")
                .output("output", "T")
                .attr("min", std::numeric_limits<float>::lowest())
                .attr("max", std::numeric_limits<float>::max())
                .types("T", types::ieee);
          },
          [](Graph& g) {
            const bool low = g.has_attr("min"), high = g.has_attr("max");
            // The bounds get the input's type when it is run.
            if (low) g.scalar("low_f32", g.get("min", 0.0f)), g.node("CastLike", {"low_f32", "input"}, {"low"});
            if (high) g.scalar("high_f32", g.get("max", 0.0f)), g.node("CastLike", {"high_f32", "input"}, {"high"});
            g.node("Clip", {"input", low ? "low" : "", high ? "high" : ""}, {"output"});
          });
  op.kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      cpu, [](auto zero, Run& r) {
        using T = decltype(zero);
        constexpr T kLow = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                : std::numeric_limits<T>::lowest();
        constexpr T kHigh =
            std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
        const T low = r.has(1) && r.input(1).numel() ? *r.in<T>(1) : kLow,
                high = r.has(2) && r.input(2).numel() ? *r.in<T>(2) : kHigh;
        const T* x = r.in<T>(0);
        T* y = r.out<T>(0);
        r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
          vectorize([=]() OG_SIMD {
            for (int64_t i = begin; i < end; ++i) {
              const T raised = x[i] < low ? low : x[i];
              y[i] = raised > high ? high : raised;
            }
          });
        });
      });
  op.earlier(11, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS)
        .optional_attr("max", OG_ATTR_FLOAT)
        .optional_attr("min", OG_ATTR_FLOAT);
  });
}

}  // namespace
