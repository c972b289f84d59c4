// Momentum: a step of training along a running sum of the gradients, plain or after Nesterov.
#include <opgraft/optimizer.h>
using namespace opgraft;
namespace {

constexpr int kKinds = 3;  // tensor, gradient, momentum

bool is_nesterov(const Node& node) {
  const std::string mode = node.get("mode", "");
  if (mode != "nesterov" && mode != "standard") fail("mode = \"" + mode + "\" must be nesterov or standard");
  return mode == "nesterov";
}

OG_OP(Momentum, "ai.onnx.preview.training", 1) {
  op.doc("One step of gradient descent with momentum for any number of tensors, each with its gradient and momentum.")
      .input("R", "T1")
      .input("T", "T2")
      .input("inputs", "T3", variadic | heterogeneous, 1)
      .output("outputs", "T3", variadic | heterogeneous, 1)
      .required_attr("alpha", OG_ATTR_FLOAT)
      .required_attr("beta", OG_ATTR_FLOAT)
      .required_attr("mode", OG_ATTR_STRING)
      .required_attr("norm_coefficient", OG_ATTR_FLOAT)
      .types("T1", {f32, f64})
      .types("T2", {i64})
      .types("T3", {f32, f64})
      .infer([](Infer& c) {
        is_nesterov(c);
        infer_optimizer(c, kKinds);
      })
      .pure()
      .body([](Graph& g) {
        OptimizerBody body(g, kKinds);
        if (!body.ready()) return false;
        const double alpha = static_cast<double>(g.get("alpha", 0.0f));
        body.begin();
        body.number("zero", 0);
        body.number("one", 1);
        body.number("beta", static_cast<double>(g.get("beta", 0.0f)));
        body.compute("Greater", {"count", "zero"}, "updated");
        body.compute("Where", {"updated", "beta", "one"}, "share");  // the first gradient counts whole
        for (int i = 0; i < body.groups(); ++i) {
          body.enter(i);
          const std::string gradient = body.gradient(), factor = body.constant("alpha", alpha);
          const std::string kept = body.make("Mul", {factor, body.input(2)}, "kept");
          const std::string fresh = body.make("Mul", {body.narrow("share"), gradient}, "fresh");
          body.compute("Add", {kept, fresh}, body.output(1));
          std::string direction = body.output(1);
          if (is_nesterov(g)) {
            const std::string ahead = body.make("Mul", {factor, body.output(1)}, "ahead");
            direction = body.make("Add", {gradient, ahead}, "direction");
          }
          const std::string step = body.make("Mul", {body.narrow("rate"), direction}, "step");
          body.compute("Sub", {body.input(0), step}, body.output(0));
        }
        return true;
      });
}

}  // namespace
