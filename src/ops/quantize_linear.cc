// QuantizeLinear: round(x / scale) + zero point, saturated, for a tensor, an axis, or blocks along an axis.
#include <opgraft/quantize.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

dtype type_of(const Node& node, bool has_zero, dtype zero) {
  const auto given = static_cast<dtype>(node.get("output_dtype", int64_t(0)));
  if (has_zero && given != any && zero != any && given != zero)
    fail(std::string("output_dtype is ") + dtype_name(given) + ", the zero point is " + dtype_name(zero));
  return has_zero ? zero : given != any ? given : u8;
}

// The fast way: float to 8 bits, one scale after the other along contiguous runs.
template <class T>
void to_bytes(const float* x, T* y, int64_t n, float scale, float zero) {
  constexpr float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  vectorize([=]() OG_SIMD {
    const float* from = x;
    T* to = y;
    const int64_t count = n;
    constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to the nearest whole number, ties to even
    for (int64_t i = 0; i < count; ++i) {
      float value = from[i] / scale;
      value = value < -4194304.0f ? -4194304.0f : value;
      value = value > 4194304.0f ? 4194304.0f : value;
      value = (value + kMagic) - kMagic + zero;
      value = value < kLow ? kLow : value;
      value = value > kHigh ? kHigh : value;
      to[i] = static_cast<T>(static_cast<int32_t>(value));
    }
  });
}

template <class T>
void run_bytes(Run& r) {
  const Tensor x = r.input(0), scale = r.input(1), y = r.output(0, x.shape());
  const ScaleSpread s = scale_spread(r, x.shape(), scale.shape());
  const auto scales = as_doubles(scale);
  std::vector<double> zeros(scales.size(), 0.0);
  if (r.has(2)) zeros = as_doubles(r.input(2));
  if (zeros.size() != scales.size()) fail("zero point and scale must have the same dims");
  const float* from = x.data<float>();
  T* to = y.data<T>();
  const bool rows = !s.whole && (s.block || s.inner == 1);  // the scale changes within a row
  r.parallel_for(s.outer * s.size, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.inner)),
                 [&](int64_t begin, int64_t end) {
                   if (s.whole) {
                     return to_bytes<T>(from + begin, to + begin, end - begin, static_cast<float>(scales[0]),
                                        static_cast<float>(zeros[0]));
                   }
                   for (int64_t row = begin; row < end; ++row) {
                     const int64_t o = row / s.size, k = row % s.size;
                     if (!rows) {
                       const auto at = static_cast<size_t>(s.at(o, k, 0));
                       to_bytes<T>(from + row * s.inner, to + row * s.inner, s.inner, static_cast<float>(scales[at]),
                                   static_cast<float>(zeros[at]));
                       continue;
                     }
                     for (int64_t i = 0; i < s.inner; ++i) {
                       const auto at = static_cast<size_t>(s.at(o, k, i));
                       to_bytes<T>(from + row * s.inner + i, to + row * s.inner + i, 1, static_cast<float>(scales[at]),
                                   static_cast<float>(zeros[at]));
                     }
                   }
                 });
}

// Rounds to the precision that the division is done in.
double to_precision(int32_t type, double value) {
  if (type == f16) return static_cast<double>(static_cast<float>(half_t(static_cast<float>(value))));
  if (type == bf16) return static_cast<double>(static_cast<float>(bfloat_t(static_cast<float>(value))));
  return static_cast<double>(static_cast<float>(value));
}

void run(Run& r) {
  const Tensor x = r.input(0), scale = r.input(1);
  const dtype type = type_of(r, r.has(2), r.has(2) ? r.dtype(2) : any);
  if (x.dtype() == f32 && scale.dtype() == f32 && type == u8) return run_bytes<uint8_t>(r);
  if (x.dtype() == f32 && scale.dtype() == f32 && type == i8) return run_bytes<int8_t>(r);
  const Tensor y = r.output(0, x.shape());
  const ScaleSpread s = scale_spread(r, x.shape(), scale.shape());
  const auto values = as_doubles(x), scales = as_doubles(scale);
  std::vector<double> zeros(scales.size(), 0.0);
  if (r.has(2)) zeros = as_doubles(r.input(2));
  if (zeros.size() != scales.size()) fail("zero point and scale must have the same dims");
  const bool mini = is_mini_float(type), saturate = r.get("saturate", 1);
  const auto [low, high] = mini ? std::pair<double, double>{0, 0} : integer_range(type);
  const int64_t given = r.get("precision", int64_t(0));
  const int32_t precision = given                                             ? static_cast<int32_t>(given)
                            : scale.dtype() == f8e8m0 || scale.dtype() == i32 ? int32_t(x.dtype())
                                                                              : int32_t(scale.dtype());
  std::vector<int64_t> results(values.size());
  for (int64_t o = 0, at = 0; o < s.outer; ++o)
    for (int64_t k = 0; k < s.size; ++k)
      for (int64_t i = 0; i < s.inner; ++i, ++at) {
        const auto which = static_cast<size_t>(s.at(o, k, i));
        const double quotient = to_precision(precision, to_precision(precision, values[static_cast<size_t>(at)]) /
                                                            to_precision(precision, scales[which]));
        if (mini) {
          results[static_cast<size_t>(at)] = encode_mini_float(mini_float(type), quotient + zeros[which], saturate);
          continue;
        }
        const double whole =
            std::nearbyint(quotient != quotient ? 0.0 : std::clamp(quotient, -9e15, 9e15)) + zeros[which];
        results[static_cast<size_t>(at)] = static_cast<int64_t>(std::clamp(whole, low, high));
      }
  if (is_packed(type)) {
    std::vector<uint8_t> codes(results.begin(), results.end());
    return pack_elements(codes, y);
  }
  by_size(dtype_bits(type) / 8, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      for (size_t i = 0; i < results.size(); ++i) y.data<T>()[i] = static_cast<T>(results[i]);
  });
}

OG_OP(QuantizeLinear, "", 28) {
  op.doc("round(x / y_scale) + y_zero_point, saturated to the type of the zero point or of output_dtype.")
      .input("x", "T1")
      .input("y_scale", "T2")
      .input("y_zero_point", "T3", optional)
      .output("y", "T3")
      .attr("axis", 1)
      .attr("block_size", 0)
      .attr("output_dtype", 0)
      .attr("precision", 0)
      .attr("saturate", 1)
      .types("T1", {f16, f32, bf16, i32})
      .types("T2", {f16, f32, bf16, i32, f8e8m0})
      .types("T3", types::float8 + Dtypes{i8, i16, u8, u16, u4, i4, f4e2m1, u2, i2, f6e2m3, f6e3m2})
      .infer([](Infer& c) {
        const dtype type = type_of(c, c.has(2), c.has(2) ? c.dtype(2) : any);
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .kernel(cpu, &run)
      .pure();
  op.earlier(25,
             [](Op& o) {
               o.types("T3", types::float8 + Dtypes{i8, i16, u8, u16, u4, i4, f4e2m1, u2, i2});
             })
      .earlier(24,
               [](Op& o) {
                 o.types("T3", types::float8 + Dtypes{i8, i16, u8, u16, u4, i4, f4e2m1});
               })
      .earlier(23,
               [](Op& o) {
                 o.types("T2", {f16, f32, bf16, i32});
               })
      .earlier(21,
               [](Op& o) {
                 o.drop("precision")
                     .drop("T3")
                     .input("y_scale", "T1")
                     .input("y_zero_point", "T2", optional)
                     .output("y", "T2")
                     .types("T2", types::float8 + Dtypes{i8, i16, u8, u16, u4, i4});
               })
      .earlier(19,
               [](Op& o) {
                 o.drop("output_dtype").drop("block_size").types("T2", types::float8 + Dtypes{i8, u8});
               })
      .earlier(13,
               [](Op& o) {
                 o.drop("saturate").input("y_scale", "tensor(float)").types("T1", {f32, i32}).types("T2", {i8, u8});
               })
      .earlier(10, [](Op& o) { o.drop("axis"); });
}

}  // namespace
