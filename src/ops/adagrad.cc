// Adagrad: a step of training whose size shrinks with the gradients seen so far.
// Source: Duchi et al., "Adaptive Subgradient Methods" (2011).
#include <opgraft/optimizer.h>
using namespace opgraft;
namespace {

constexpr int kKinds = 3;  // tensor, gradient, sum of squared gradients

OG_OP(Adagrad, "ai.onnx.preview.training", 1) {
  op.doc("One step of Adagrad for any number of tensors, each with its gradient and its sum of squared gradients.")
      .input("R", "T1")
      .input("T", "T2")
      .input("inputs", "T3", variadic | heterogeneous, 1)
      .output("outputs", "T3", variadic | heterogeneous, 1)
      .attr("decay_factor", 0.0f)
      .attr("epsilon", 1e-6f)
      .attr("norm_coefficient", 0.0f)
      .types("T1", {f32, f64})
      .types("T2", {i64})
      .types("T3", {f32, f64})
      .infer([](Infer& c) { infer_optimizer(c, kKinds); })
      .pure()
      .body([](Graph& g) {
        OptimizerBody body(g, kKinds);
        if (!body.ready()) return false;
        body.begin();
        body.number("decay_factor", static_cast<double>(g.get("decay_factor", 0.0f)));
        body.number("one", 1);
        body.compute("Mul", {"count", "decay_factor"}, "decayed");
        body.compute("Add", {"one", "decayed"}, "slowed");
        body.compute("Div", {"rate", "slowed"}, "step_size");
        const double epsilon = static_cast<double>(g.get("epsilon", 1e-6f));
        for (int i = 0; i < body.groups(); ++i) {
          body.enter(i);
          const std::string gradient = body.gradient();
          const std::string square = body.make("Mul", {gradient, gradient}, "square");
          body.compute("Add", {body.input(2), square}, body.output(1));
          const std::string root = body.make("Sqrt", {body.output(1)}, "root");
          const std::string divisor = body.make("Add", {root, body.constant("epsilon", epsilon)}, "divisor");
          const std::string scaled = body.make("Mul", {body.narrow("step_size"), gradient}, "scaled");
          body.compute("Sub", {body.input(0), body.make("Div", {scaled, divisor}, "step")}, body.output(0));
        }
        return true;
      });
}

}  // namespace
