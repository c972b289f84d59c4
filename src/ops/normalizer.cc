// Normalizer: each row divided by its largest element, by the sum of its absolute values, or by its length.
#include <opgraft/scores.h>
using namespace opgraft;
namespace {

enum class Norm { max, l1, l2 };

Norm norm_of(const Node& node) {
  const std::string name = node.get("norm", "MAX");
  if (name == "MAX") return Norm::max;
  if (name == "L1") return Norm::l1;
  if (name == "L2") return Norm::l2;
  fail("norm is \"" + name + "\", expected MAX, L1 or L2");
}

template <class T>
double divisor(Norm norm, const T* x, int64_t n) {
  double result = norm == Norm::max ? -std::numeric_limits<double>::infinity() : 0.0;
  switch (norm) {
    case Norm::max:
      for (int64_t i = 0; i < n; ++i) result = std::max(result, static_cast<double>(x[i]));
      return result;
    case Norm::l1:
      for (int64_t i = 0; i < n; ++i) result += std::abs(static_cast<double>(x[i]));
      return result;
    default:
      for (int64_t i = 0; i < n; ++i) result += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      return std::sqrt(result);
  }
}

template <class T>
void run(Run& r) {
  const Norm norm = norm_of(r);
  const Tensor x = r.input(0);
  const Rows rows = rows_of(x.shape());
  const T* from = x.data<T>();
  float* to = r.output(0, x.shape()).data<float>();
  const int64_t n = rows.features;
  r.parallel_for(rows.count, 8192 / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* x_row = from + row * n;
      double by = divisor(norm, x_row, n);
      if (by == 0) by = 1;  // a row without a norm stays as it is
      for (int64_t i = 0; i < n; ++i) to[row * n + i] = static_cast<float>(static_cast<double>(x_row[i]) / by);
    }
  });
}

OG_OP(Normalizer, "ai.onnx.ml", 1) {
  op.doc("Each row of X ([N, C] or [C]) divided by its largest element, the sum of absolute values, or its length.")
      .input("X", "T")
      .output("Y", "tensor(float)")
      .attr("norm", "MAX")
      .types("T", {f32, f64, i64, i32})
      .infer([](Infer& c) {
        norm_of(c);
        if (!c.ranked(0)) return c.out(0, f32);
        rows_of(c.dims(0));
        c.out(0, f32, c.dims(0));
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .kernel(cpu, i64, &run<int64_t>)
      .kernel(cpu, i32, &run<int32_t>);
}

}  // namespace
