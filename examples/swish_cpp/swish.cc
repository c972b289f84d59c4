// com.examples.Swish: x * sigmoid(alpha * x) in one pass over memory.
#include <opgraft/op.h>
#include <opgraft/services.h>
using namespace opgraft;
namespace {

// A kernel struct: one object per node; `pack` runs once per model.
struct Kernel {
  static bool supports(Prepare&) { return service<og_cpu_math>(OG_CPU_MATH) != nullptr; }
  const og_cpu_math* math = nullptr;
  float alpha = 1.0f;
  void pack(Pack& p) {
    math = service<og_cpu_math>(OG_CPU_MATH);
    alpha = p.get("alpha", 1.0f);
  }
  void run(Run& r) const {
    const float* x = r.in<float>(0);
    float* y = r.out<float>(0);
    r.parallel_for(r.input(0).numel(), 16384, [this, x, y](int64_t begin, int64_t end) {
      constexpr int64_t kBlock = 1024;  // stays in the first cache
      float gate[kBlock];
      for (int64_t i = begin; i < end; i += kBlock) {
        const int64_t n = std::min(kBlock, end - i);
        for (int64_t j = 0; j < n; ++j) gate[j] = alpha * x[i + j];
        math->sigmoid(gate, gate, n);
        for (int64_t j = 0; j < n; ++j) y[i + j] = x[i + j] * gate[j];
      }
    });
  }
};

OG_OP(Swish, "com.examples", 1) {
  op.doc("x * sigmoid(alpha * x)")
      .input("X", "T")
      .output("Y", "T")
      .attr("alpha", 1.0f)
      .types("T", {f32, f16})
      .infer([](Infer& c) { c.same(0, 0); })
      .body([](Graph& g) {
        if (g.dtype(0) == any) return false;
        g.scalar_like("alpha", g.get("alpha", 1.0f), 0);
        g.node("Mul", {"X", "alpha"}, {"scaled"});
        g.node("Sigmoid", {"scaled"}, {"gate"});
        g.node("Mul", {"X", "gate"}, {"Y"});
        return true;
      })
      .kernel<Kernel>(cpu, f32)
      .inplace(0, 0)
      .pure();
}

}  // namespace
OG_PLUGIN("com.examples.swish", "1.0")
