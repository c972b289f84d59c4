// Range: numbers from start up to limit, delta apart.
#include <cmath>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
int64_t count(T start, T limit, T delta) {
  if (delta == T(0)) fail("delta must not be zero");
  const double steps =
      std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  if (!(steps < 9e15)) fail("the range has too many elements");
  return steps > 0 ? static_cast<int64_t>(steps) : 0;
}

template <class T>
T scalar(const og_value& value) {
  return *static_cast<const T*>(value.tensor.data);
}

OG_OP(Range, "", 27) {
  op.doc("start, start + delta, ... as long as limit is not reached.")
      .input("start", "T")
      .input("limit", "T")
      .input("delta", "T")
      .output("output", "T")
      .attr("stash_type", 1)
      .types("T", {f32, f64, i16, i32, i64, f16, bf16})
      .infer([](Infer& c) {
        const auto start = c.value(0), limit = c.value(1), delta = c.value(2);
        const dtype type = c.dtype(0);
        if (start && limit && delta) {
          const auto set = [&](auto zero) {
            using T = decltype(zero);
            const int64_t n = count(scalar<T>(*start), scalar<T>(*limit), scalar<T>(*delta));
            c.out(0, type, Dims{n});
            if (!std::is_integral_v<T> || n > 4096) return;
            std::vector<int64_t> values;
            for (int64_t i = 0; i < n; ++i)
              values.push_back(static_cast<int64_t>(scalar<T>(*start)) + i * static_cast<int64_t>(scalar<T>(*delta)));
            c.out_integers(0, values);
          };
          switch (type) {
            case f32:
              return set(float{});
            case f64:
              return set(double{});
            case i16:
              return set(int16_t{});
            case i32:
              return set(int32_t{});
            case i64:
              return set(int64_t{});
            default:
              break;
          }
        }
        const auto from = c.integers(0), to = c.integers(1), step = c.known_integers(2);
        if (from && to && step && (*step)[0] == 1) return c.out(0, type, Dims{c.max(c.sub((*to)[0], (*from)[0]), 0)});
        c.out(0, type, Dims{kUnknown});
      })
      .kernels<float, double, int16_t, int32_t, int64_t>(cpu,
                                                         [](auto zero, Run& r) {
                                                           using T = decltype(zero);
                                                           const T start = *r.in<T>(0), delta = *r.in<T>(2);
                                                           const int64_t n = count(start, *r.in<T>(1), delta);
                                                           T* y = r.output(0, Dims{n}).data<T>();
                                                           for (int64_t i = 0; i < n; ++i)
                                                             y[i] = static_cast<T>(start + static_cast<T>(i) * delta);
                                                         })
      .pure()
      .earlier(11, [](Op& o) {
        o.drop("stash_type").types("T", {f32, f64, i16, i32, i64});
      });
}

}  // namespace
