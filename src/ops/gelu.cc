// Gelu: x times the normal distribution function of x, exact or by tanh.
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Rows {
  static bool supports(Prepare&) { return service<og_cpu_math>(OG_CPU_MATH) != nullptr; }
  og_unary_row_fn fn = nullptr;
  void pack(Pack& p) {
    const auto* math = service<og_cpu_math>(OG_CPU_MATH);
    fn = p.get("approximate", "none") == "tanh" ? math->gelu_tanh : math->gelu_erf;
  }
  void run(Run& r) const {
    const float* x = r.in<float>(0);
    float* y = r.out<float>(0);
    const og_unary_row_fn call = fn;
    r.parallel_for(r.input(0).numel(), kPointwiseGrain,
                   [=](int64_t begin, int64_t end) { call(x + begin, y + begin, end - begin); });
  }
};

OG_OP(Gelu, "", 20) {
  define_unary(op, "x times the cumulative distribution function of the normal distribution.", types::floats)
      .attr("approximate", "none");
  op.kernel<Rows>(cpu, f32);
  op.kernel(cpu, f64, [](Run& r) {
    const bool tanh = r.get("approximate", "none") == "tanh";
    const double* x = r.in<double>(0);
    double* y = r.out<double>(0);
    for (int64_t i = 0; i < r.input(0).numel(); ++i)
      y[i] = tanh ? 0.5 * x[i] * (1 + std::tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] * x[i] * x[i])))
                  : 0.5 * x[i] * (1 + std::erf(x[i] * 0.7071067811865476));
  });
}

}  // namespace
