// NegativeLogLikelihoodLoss: minus the log probability of each label, weighted by class, and their sum or mean.
#include <opgraft/axes.h>
#include <opgraft/loss.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const auto labels = r.input(1).integers();
  const int64_t n = x.dim(0), classes = x.dim(1), inner = x.product(2, x.ndim());
  if (static_cast<int64_t>(labels.size()) != n * inner)
    fail("target has " + std::to_string(labels.size()) + " labels for " + std::to_string(n * inner) + " scores");
  const T* weight = r.has(2) ? r.in<T>(2) : nullptr;
  if (weight && r.input(2).numel() != classes) fail("weight must have one entry per class");
  const bool ignores = r.has_attr("ignore_index");
  const int64_t ignored = r.get("ignore_index", int64_t(0));
  const LossReduction reduction = loss_reduction(r);
  T* y = r.out<T>(0);
  double total = 0, weights = 0;
  for (int64_t i = 0; i < n * inner; ++i) {
    const int64_t label = labels[static_cast<size_t>(i)];
    double loss = 0;
    if (!ignores || label != ignored) {
      if (label < 0 || label >= classes)
        fail("label " + std::to_string(label) + " is not in [0, " + std::to_string(classes) + ")");
      const double w = weight ? static_cast<double>(weight[label]) : 1.0;
      loss = -w * static_cast<double>(x.data<T>()[(i / inner * classes + label) * inner + i % inner]);
      weights += w;
    }
    if (reduction == LossReduction::none) y[i] = static_cast<T>(loss);
    total += loss;
  }
  if (reduction == LossReduction::sum) *y = static_cast<T>(total);
  if (reduction == LossReduction::mean) *y = static_cast<T>(total / weights);
}

OG_OP(NegativeLogLikelihoodLoss, "", 22) {
  op.doc("Minus the score of each label, weighted by class.")
      .input("input", "T")
      .input("target", "Tind")
      .input("weight", "T", optional)
      .output("loss", "T")
      .optional_attr("ignore_index", OG_ATTR_INT)
      .attr("reduction", "mean")
      .types("T", types::floats)
      .types("Tind", {i32, i64})
      .infer(&infer_loss)
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(13, [](Op& o) { o.types("T", types::ieee); }).earlier(12);
}

}  // namespace
