// Adam: a step of training along the running mean of the gradients over the root of that of their squares.
// Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015).
#include <opgraft/optimizer.h>
using namespace opgraft;
namespace {

constexpr int kKinds = 4;  // tensor, gradient, mean of gradients, mean of squared gradients

// The learning rate corrected for means that began at zero; without updates it stays.
void correct_rate(OptimizerBody& body, double alpha, double beta) {
  body.number("zero", 0);
  body.number("one", 1);
  body.number("alpha", alpha);
  body.number("beta", beta);
  body.compute("Pow", {"alpha", "count"}, "alpha_left");
  body.compute("Pow", {"beta", "count"}, "beta_left");
  body.compute("Sub", {"one", "alpha_left"}, "alpha_share");
  body.compute("Sub", {"one", "beta_left"}, "beta_share");
  body.compute("Sqrt", {"beta_share"}, "beta_root");
  body.compute("Mul", {"rate", "beta_root"}, "raised");
  body.compute("Div", {"raised", "alpha_share"}, "corrected");
  body.compute("Greater", {"count", "zero"}, "updated");
  body.compute("Where", {"updated", "corrected", "rate"}, "step_size");
}

OG_OP(Adam, "ai.onnx.preview.training", 1) {
  op.doc(
        "One step of Adam for any number of tensors, each with its gradient and the running means of it and its "
        "square.")
      .input("R", "T1")
      .input("T", "T2")
      .input("inputs", "T3", variadic | heterogeneous, 1)
      .output("outputs", "T3", variadic | heterogeneous, 1)
      .attr("alpha", 0.9f)
      .attr("beta", 0.999f)
      .attr("epsilon", 1e-6f)
      .attr("norm_coefficient", 0.0f)
      .attr("norm_coefficient_post", 0.0f)
      .types("T1", {f32, f64})
      .types("T2", {i64})
      .types("T3", {f32, f64})
      .infer([](Infer& c) { infer_optimizer(c, kKinds); })
      .pure()
      .body([](Graph& g) {
        OptimizerBody body(g, kKinds);
        if (!body.ready()) return false;
        const double alpha = static_cast<double>(g.get("alpha", 0.9f)),
                     beta = static_cast<double>(g.get("beta", 0.999f));
        const double epsilon = static_cast<double>(g.get("epsilon", 1e-6f));
        const double shrink = static_cast<double>(g.get("norm_coefficient_post", 0.0f));
        body.begin();
        correct_rate(body, alpha, beta);
        for (int i = 0; i < body.groups(); ++i) {
          body.enter(i);
          const std::string gradient = body.gradient();
          const std::string kept = body.make("Mul", {body.constant("alpha", alpha), body.input(2)}, "kept");
          const std::string fresh = body.make("Mul", {body.constant("alpha_rest", 1 - alpha), gradient}, "fresh");
          body.compute("Add", {kept, fresh}, body.output(1));
          const std::string square = body.make("Mul", {gradient, gradient}, "square");
          const std::string kept_square = body.make("Mul", {body.constant("beta", beta), body.input(3)}, "kept_square");
          const std::string fresh_square =
              body.make("Mul", {body.constant("beta_rest", 1 - beta), square}, "fresh_square");
          body.compute("Add", {kept_square, fresh_square}, body.output(2));
          const std::string root = body.make("Sqrt", {body.output(2)}, "root");
          const std::string divisor = body.make("Add", {root, body.constant("epsilon", epsilon)}, "divisor");
          const std::string direction = body.make("Div", {body.output(1), divisor}, "direction");
          const std::string step = body.make("Mul", {body.narrow("step_size"), direction}, "step");
          if (shrink == 0) {
            body.compute("Sub", {body.input(0), step}, body.output(0));
          } else {
            const std::string moved = body.make("Sub", {body.input(0), step}, "moved");
            body.compute("Mul", {body.constant("shrink", 1 - shrink), moved}, body.output(0));
          }
        }
        return true;
      });
}

}  // namespace
