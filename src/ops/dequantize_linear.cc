// DequantizeLinear: (x - zero point) * scale, for a tensor, an axis, or blocks along an axis.
#include <opgraft/quantize.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

dtype type_of(const Node& node, dtype scale) {
  const auto given = static_cast<dtype>(node.get("output_dtype", int64_t(0)));
  return given != any ? given : scale;
}

template <class T>
void run_bytes(Run& r, const ScaleSpread& s, const std::vector<double>& scales, const std::vector<double>& zeros) {
  const T* from = r.in<T>(0);
  float* to = r.output(0).data<float>();
  r.parallel_for(s.outer * s.size, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.inner)),
                 [&](int64_t begin, int64_t end) {
                   const auto row = [&](const T* in, float* out, int64_t n, size_t at) {
                     const float scale = static_cast<float>(scales[at]);
                     const auto zero = static_cast<int32_t>(zeros[at]);
                     vectorize([=]() OG_SIMD {
                       const T* x = in;
                       float* y = out;
                       for (int64_t i = 0; i < n; ++i)
                         y[i] = static_cast<float>(static_cast<int32_t>(x[i]) - zero) * scale;
                     });
                   };
                   if (s.whole) return row(from + begin, to + begin, end - begin, 0);
                   for (int64_t k = begin; k < end; ++k) {
                     const int64_t o = k / s.size, at = k % s.size;
                     if (!s.block) {
                       row(from + k * s.inner, to + k * s.inner, s.inner, static_cast<size_t>(at));
                       continue;
                     }
                     for (int64_t i = 0; i < s.inner; ++i)
                       row(from + k * s.inner + i, to + k * s.inner + i, 1, static_cast<size_t>(s.at(o, at, i)));
                   }
                 });
}

void run(Run& r) {
  const Tensor x = r.input(0), scale = r.input(1);
  const dtype type = type_of(r, scale.dtype());
  const Tensor y = r.output(0, x.shape());
  const ScaleSpread s = scale_spread(r, x.shape(), scale.shape());
  const auto scales = as_doubles(scale);
  std::vector<double> zeros(scales.size(), 0.0);
  if (r.has(2)) zeros = as_doubles(r.input(2));
  if (zeros.size() != scales.size()) fail("zero point and scale must have the same dims");
  if (type == f32 && x.dtype() == u8) return run_bytes<uint8_t>(r, s, scales, zeros);
  if (type == f32 && x.dtype() == i8) return run_bytes<int8_t>(r, s, scales, zeros);
  const auto values = as_doubles(x);
  for (int64_t o = 0, at = 0; o < s.outer; ++o)
    for (int64_t k = 0; k < s.size; ++k)
      for (int64_t i = 0; i < s.inner; ++i, ++at) {
        const auto which = static_cast<size_t>(s.at(o, k, i));
        const auto value = static_cast<float>((values[static_cast<size_t>(at)] - zeros[which]) * scales[which]);
        if (type == f16)
          y.data<half_t>()[at] = half_t(value);
        else if (type == bf16)
          y.data<bfloat_t>()[at] = bfloat_t(value);
        else
          y.data<float>()[at] = value;
      }
}

OG_OP(DequantizeLinear, "", 28) {
  op.doc("(x - x_zero_point) * x_scale, in the type of the scale or of output_dtype.")
      .input("x", "T1")
      .input("x_scale", "T2")
      .input("x_zero_point", "T1", optional)
      .output("y", "T3")
      .attr("axis", 1)
      .attr("block_size", 0)
      .attr("output_dtype", 0)
      .types("T1", types::float8 + Dtypes{i8, i16, i32, u8, u16, u4, i4, f4e2m1, u2, i2, f6e2m3, f6e3m2})
      .types("T2", {f16, f32, bf16, f8e8m0})
      .types("T3", {f16, f32, bf16})
      .infer([](Infer& c) {
        const dtype type = type_of(c, c.dtype(1));
        if (type != any && type != f32 && type != f16 && type != bf16)
          fail(std::string("the output would be ") + dtype_name(type) + "; give output_dtype");
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .kernel(cpu, &run)
      .pure();
  op.earlier(25,
             [](Op& o) {
               o.types("T1", types::float8 + Dtypes{i8, i16, i32, u8, u16, u4, i4, f4e2m1, u2, i2});
             })
      .earlier(24,
               [](Op& o) {
                 o.types("T1", types::float8 + Dtypes{i8, i16, i32, u8, u16, u4, i4, f4e2m1});
               })
      .earlier(23,
               [](Op& o) {
                 o.types("T2", {f16, f32, bf16});
               })
      .earlier(21,
               [](Op& o) {
                 o.drop("output_dtype")
                     .drop("T3")
                     .output("y", "T2")
                     .types("T1", types::float8 + Dtypes{i8, i16, i32, u8, u16, u4, i4});
               })
      .earlier(19,
               [](Op& o) {
                 o.drop("block_size").types("T1", types::float8 + Dtypes{i8, i32, u8});
               })
      .earlier(13,
               [](Op& o) {
                 o.drop("T1")
                     .drop("T2")
                     .input("x", "T")
                     .input("x_scale", "tensor(float)")
                     .input("x_zero_point", "T", optional)
                     .output("y", "tensor(float)")
                     .types("T", {i8, i32, u8});
               })
      .earlier(10, [](Op& o) { o.drop("axis"); });
}

}  // namespace
