// IsInf: whether each element is infinite, of the signs asked for.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

// Infinities by their bits, for types that C++ lacks.
template <class U, U Infinity, U Sign>
void by_bits(Run& r) {
  const bool negative = r.get("detect_negative", 1), positive = r.get("detect_positive", 1);
  const U* x = r.in<U>(0);
  bool* y = r.out<bool>(0);
  for (int64_t i = 0; i < r.input(0).numel(); ++i)
    y[i] = (positive && x[i] == Infinity) || (negative && x[i] == static_cast<U>(Infinity | Sign));
}

void never(Run& r) { std::fill_n(r.out<bool>(0), r.input(0).numel(), false); }

OG_OP(IsInf, "", 20) {
  op.doc("Whether each element is infinite.")
      .input("X", "T1")
      .output("Y", "T2")
      .attr("detect_negative", 1)
      .attr("detect_positive", 1)
      .types("T1", types::floats + types::float8)
      .types("T2", {boolean})
      .infer([](Infer& c) {
        if (c.ranked(0))
          c.out(0, boolean, c.dims(0));
        else
          c.out(0, boolean);
      })
      .kernels<float, double>(cpu,
                              [](auto zero, Run& r) {
                                using T = decltype(zero);
                                constexpr T kInfinity = std::numeric_limits<T>::infinity();
                                const T high = r.get("detect_positive", 1) ? kInfinity : T(0);
                                const T low = r.get("detect_negative", 1) ? -kInfinity : T(0);
                                const T* x = r.in<T>(0);
                                bool* y = r.out<bool>(0);
                                r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
                                  for (int64_t i = begin; i < end; ++i)
                                    y[i] = x[i] - x[i] != T(0) && (x[i] == high || x[i] == low);
                                });
                              })
      .kernel(cpu, f16, &by_bits<uint16_t, 0x7c00, 0x8000>)
      .kernel(cpu, bf16, &by_bits<uint16_t, 0x7f80, 0x8000>)
      .kernel(cpu, f8e5m2, &by_bits<uint8_t, 0x7c, 0x80>)
      .kernel(cpu, f8e4m3fn, &never)
      .kernel(cpu, f8e4m3fnuz, &never)
      .kernel(cpu, f8e5m2fnuz, &never)
      .pure();
  op.earlier(10, [](Op& o) { o.types("T1", {f32, f64}); });
}

}  // namespace
