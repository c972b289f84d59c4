// LayerNormalization: rows over the last axes get mean 0 and variance 1, then a scale and a bias.
#include <opgraft/broadcast.h>
#include <opgraft/op.h>
#include <opgraft/services.h>

#include <cmath>
using namespace opgraft;
namespace {

// True when a scale or bias of these dims has one value per element of a row, the same for all rows.
bool one_per_element(const Tensor& tensor, const Dims& x, int64_t axis) {
  const int64_t leading = tensor.ndim() - (static_cast<int64_t>(x.size()) - axis);
  if (leading < 0) return false;
  for (int64_t i = 0; i < tensor.ndim(); ++i)
    if (tensor.dim(i) != (i < leading ? 1 : x[static_cast<size_t>(axis + i - leading)])) return false;
  return true;
}

// y = y * scale + bias where these broadcast in another way than one value per element of a row.
template <class T>
void scale_any(const Run& r, const Dims& dims, T* y) {
  const Tensor scale = r.input(1);
  const auto loop = make_broadcast<2>({scale.shape(), r.has(2) ? r.input(2).shape() : Dims{}}, dims);
  const T* bias = r.has(2) ? r.in<T>(2) : nullptr;
  const int64_t scale_step = loop.steps[0].back(), bias_step = loop.steps[1].back();
  for_each_row(r, loop, [&](const auto& offsets, int64_t at, int64_t count) {
    const T* factor = scale.data<T>() + offsets[0];
    for (int64_t i = 0; i < count; ++i)
      y[at + i] = y[at + i] * factor[i * scale_step] + (bias ? bias[offsets[1] + i * bias_step] : T(0));
  });
}

struct Rows {
  int64_t axis, count, length;
  explicit Rows(const Run& r)
      : axis(normalize_axis(r.get("axis", int64_t{-1}), r.input(0).ndim())),
        count(r.input(0).product(0, static_cast<int>(axis))),
        length(r.input(0).product(static_cast<int>(axis), r.input(0).ndim())) {}
};

bool float_statistics(Prepare& p) {
  for (int i = 1; i < 3; ++i)
    if (p.output(i).kind != OG_ABSENT && p.output(i).dtype != f32) return false;
  return true;
}

struct LayerNormalizationF32 {
  static bool supports(Prepare& p) { return service<og_cpu_math>(OG_CPU_MATH) != nullptr && float_statistics(p); }
  const og_cpu_math* math = nullptr;
  void pack(Pack&) { math = service<og_cpu_math>(OG_CPU_MATH); }
  void run(Run& r) const {
    const Rows rows(r);
    const Dims dims = r.input(0).shape();
    const bool plain =
        one_per_element(r.input(1), dims, rows.axis) && (!r.has(2) || one_per_element(r.input(2), dims, rows.axis));
    const float* x = r.in<float>(0);
    const float* scale = plain ? r.in<float>(1) : nullptr;
    const float* bias = plain && r.has(2) ? r.in<float>(2) : nullptr;
    float* y = r.out<float>(0);
    float* mean = r.uses_output(1) ? r.out<float>(1) : nullptr;
    float* inverse = r.uses_output(2) ? r.out<float>(2) : nullptr;
    const float epsilon = r.get("epsilon", 1e-5f);
    r.parallel_for(rows.count, 8192 / std::max<int64_t>(1, rows.length) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        math->layer_norm(x + i * rows.length, scale, bias, epsilon, y + i * rows.length, rows.length,
                         mean ? mean + i : nullptr, inverse ? inverse + i : nullptr);
    });
    if (!plain) scale_any(r, dims, y);
  }
};

struct LayerNormalizationF64 {
  static bool supports(Prepare& p) { return float_statistics(p); }
  void run(Run& r) const;
};

void LayerNormalizationF64::run(Run& r) const {
  const Rows rows(r);
  const double* x = r.in<double>(0);
  double* y = r.out<double>(0);
  const double epsilon = r.get("epsilon", 1e-5f), length = static_cast<double>(rows.length);
  r.parallel_for(rows.count, 8192 / std::max<int64_t>(1, rows.length) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const double* from = x + row * rows.length;
      double* to = y + row * rows.length;
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < rows.length; ++i) sum += from[i];
      const double mean = sum / length;
      for (int64_t i = 0; i < rows.length; ++i) squares += (from[i] - mean) * (from[i] - mean);
      const double inverse = 1.0 / std::sqrt(squares / length + epsilon);
      for (int64_t i = 0; i < rows.length; ++i) to[i] = (from[i] - mean) * inverse;
      if (r.uses_output(1)) r.out<float>(1)[row] = static_cast<float>(mean);
      if (r.uses_output(2)) r.out<float>(2)[row] = static_cast<float>(inverse);
    }
  });
  scale_any(r, r.input(0).shape(), y);
}

void infer(Infer& c) {
  c.same(0, 0);
  const auto statistics = static_cast<dtype>(c.get("stash_type", int64_t{f32}));
  if (!c.ranked(0)) {
    for (int i = 1; i < std::min(c.output_count(), 3); ++i) c.out(i, statistics);
    return;
  }
  Dims dims = c.dims(0);
  const int64_t axis = normalize_axis(c.get("axis", int64_t{-1}), static_cast<int64_t>(dims.size()));
  for (int i = 1; i < 3; ++i)
    if (c.has(i) && c.ranked(i)) {
      const Dims both = broadcast_dims(dims, c.dims(i));
      bool same = both.size() == dims.size();
      for (size_t at = 0; same && at < dims.size(); ++at)
        same = is_symbol(both[at]) || is_symbol(dims[at]) || both[at] == dims[at];
      if (!same)
        fail("dims " + to_string(c.dims(i)) + " of scale or bias do not broadcast to X of dims " + to_string(dims));
    }
  std::fill(dims.begin() + axis, dims.end(), 1);
  for (int i = 1; i < std::min(c.output_count(), 3); ++i) c.out(i, statistics, dims);
}

OG_OP(LayerNormalization, "", 17) {
  op.doc("Normalizes over the axes from `axis` on: (X - mean) / sqrt(variance + epsilon) * Scale + B.")
      .input("X", "T")
      .input("Scale", "T")
      .input("B", "T", optional)
      .output("Y", "T")
      .output("Mean", "U", optional)
      .output("InvStdDev", "U", optional)
      .attr("axis", -1)
      .attr("epsilon", 1e-5f)
      .attr("stash_type", 1)
      .types("T", types::floats)
      .types("U", {f32, bf16})
      .infer(infer)
      .inplace(0, 0)
      .pure()
      .kernel<LayerNormalizationF32>(cpu, f32)
      .kernel<LayerNormalizationF64>(cpu, f64);
}

}  // namespace
