// RMSNormalization: rows over the last axes are divided by the root of their mean square, then scaled.
#include <opgraft/broadcast.h>
#include <opgraft/op.h>
#include <opgraft/vectorize.h>

#include <cmath>
using namespace opgraft;
namespace {

template <class T, class V>
void rms_normalization(Run& r) {
  const Tensor input = r.input(0), scale = r.input(1);
  const auto axis = static_cast<int>(normalize_axis(r.get("axis", int64_t{-1}), input.ndim()));
  const int64_t length = input.product(axis, input.ndim());
  const double epsilon = static_cast<double>(r.get("epsilon", 1e-5f));
  const T* x = r.in<T>(0);
  V* y = r.out<V>(0);
  r.parallel_for(input.product(0, axis), 8192 / std::max<int64_t>(1, length) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * length;
      V* to = y + row * length;
      vectorize([&]() OG_SIMD {
        T squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int64_t i = 0; i < length; ++i) squares += from[i] * from[i];
        const T factor =
            static_cast<T>(1.0 / std::sqrt(static_cast<double>(squares) / static_cast<double>(length) + epsilon));
#pragma omp simd
        for (int64_t i = 0; i < length; ++i) to[i] = static_cast<V>(from[i] * factor);
      });
    }
  });
  const auto loop = make_broadcast<1>({scale.shape()}, input.shape());
  const V* factors = scale.data<V>();
  const int64_t step = loop.steps[0].back();
  for_each_row(r, loop, [&](const auto& offsets, int64_t at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[at + i] *= factors[offsets[0] + i * step];
  });
}

OG_OP(RMSNormalization, "", 23) {
  op.doc("Divides by the root mean square over the axes from `axis` on, then multiplies by scale.")
      .input("X", "T")
      .input("scale", "V")
      .output("Y", "V")
      .attr("axis", -1)
      .attr("epsilon", 1e-5f)
      .attr("stash_type", 1)
      .types("T", types::floats)
      .types("V", types::floats)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(1));
        normalize_axis(c.get("axis", int64_t{-1}), c.ndim(0));
        if (c.ranked(1)) broadcast_dims(c.dims(0), c.dims(1));
        c.out(0, c.dtype(1), c.dims(0));
      })
      .pure()
      .kernel(cpu, std::vector<TypeBind>{{"T", f32}, {"V", f32}}, rms_normalization<float, float>)
      .kernel(cpu, std::vector<TypeBind>{{"T", f32}, {"V", f64}}, rms_normalization<float, double>)
      .kernel(cpu, std::vector<TypeBind>{{"T", f64}, {"V", f32}}, rms_normalization<double, float>)
      .kernel(cpu, std::vector<TypeBind>{{"T", f64}, {"V", f64}}, rms_normalization<double, double>);
}

}  // namespace
