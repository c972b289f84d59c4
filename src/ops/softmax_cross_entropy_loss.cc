// SoftmaxCrossEntropyLoss: the negative log likelihood of the labels under a softmax of the scores.
#include <opgraft/axes.h>
#include <opgraft/loss.h>
using namespace opgraft;
namespace {

OG_OP(SoftmaxCrossEntropyLoss, "", 13) {
  op.doc("The negative log likelihood of each label under the softmax of the scores, weighted by class.")
      .input("scores", "T")
      .input("labels", "Tind")
      .input("weights", "T", optional)
      .output("output", "T")
      .output("log_prob", "T", optional)
      .optional_attr("ignore_index", OG_ATTR_INT)
      .attr("reduction", "mean")
      .types("T", types::floats)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        infer_loss(c);
        if (c.output_count() > 1) c.same(0, 1);
      })
      .body([](Graph& g) {
        const char* logits = g.uses_output(1) ? "log_prob" : "likelihood";
        g.node("LogSoftmax", {"scores"}, {logits}).attr("axis", 1);
        g.node("NegativeLogLikelihoodLoss", {logits, "labels", g.has(2) ? "weights" : ""}, {"output"})
            .attr_from("ignore_index")
            .attr_from("reduction");
      })
      .pure();
  op.earlier(12, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
