// LinearClassifier: the class with the largest linear score, and the scores of all classes.
#include <opgraft/linear.h>
#include <opgraft/scores.h>
using namespace opgraft;
namespace {

// What the attributes say: `scores` linear functions, one per class, or one for two classes.
struct Sizes {
  Labels labels;
  int64_t scores = 0, columns = 0, features = 0;
};

Sizes sizes_of(const Node& node) {
  Sizes s;
  s.labels = Labels(node, "classlabels_ints");
  const auto intercepts = static_cast<int64_t>(node.floats("intercepts").size());
  s.scores = intercepts ? intercepts : s.labels.size();
  if (s.scores > 1 ? s.labels.size() != s.scores : s.labels.size() > 2)
    fail("there are " + std::to_string(s.labels.size()) + " class labels for " + std::to_string(s.scores) +
         " intercepts");
  s.columns = s.scores == 1 ? s.labels.size() : s.scores;
  s.features = row_length(node.floats("coefficients").size(), s.scores, "coefficients");
  return s;
}

struct LinearClassifier {
  PackedRows weights;
  std::vector<float> intercepts;
  Labels labels;
  PostTransform transform = PostTransform::none;
  int64_t columns = 0;

  static bool supports(Prepare&) { return PackedRows::available(); }
  void pack(Pack& p) {
    const Sizes s = sizes_of(p);
    weights.pack(p, p.floats("coefficients"), s.scores);
    intercepts = p.floats("intercepts");
    labels = s.labels;
    columns = s.columns;
    transform = post_transform_of(p);
  }

  // A single score and the score of the other class.
  void spread(const float* scores, float* z, int64_t rows) const {
    for (int64_t i = 0; i < rows; ++i) {
      const float score = scores[i];
      if (columns == 1) {
        z[i] = score;
        transform_scores(transform, z + i, 1);
      } else if (transform == PostTransform::logistic) {
        z[2 * i] = static_cast<float>(logistic(-static_cast<double>(score)));
        z[2 * i + 1] = static_cast<float>(logistic(static_cast<double>(score)));
      } else {
        z[2 * i] = 1.0f - score;
        z[2 * i + 1] = score;
        if (transform == PostTransform::probit) transform_scores(transform, z + 2 * i, 2);
      }
    }
  }

  void run(Run& r) const {
    const Rows rows = rows_of(r.input(0).shape());
    if (rows.features != weights.features())
      fail("X has " + std::to_string(rows.features) + " features, the coefficients are made for " +
           std::to_string(weights.features()));
    const int64_t n = weights.outputs();
    const bool one = n == 1;
    std::vector<float> copy, single(one ? static_cast<size_t>(rows.count) : 0);
    float* z = r.uses_output(1) ? r.output(1, {rows.count, columns}).data<float>() : nullptr;
    std::vector<float> unseen(z || one ? 0 : static_cast<size_t>(rows.count * n));
    float* scores = one ? single.data() : z ? z : unseen.data();
    weights.run(r, as_floats(r, 0, copy), rows.count, scores, intercepts.empty() ? nullptr : intercepts.data());
    std::vector<int64_t> chosen(static_cast<size_t>(rows.count));
    for (int64_t i = 0; i < rows.count; ++i)
      chosen[static_cast<size_t>(i)] = one ? scores[i] > 0 : largest_score(scores + i * n, n);
    if (one && z) spread(scores, z, rows.count);
    if (!one && z) transform_rows(r, transform, z, rows.count, n);
    if (!one || labels.size() == 2) return labels.write(r, chosen);
    const Tensor y = r.output(0, {rows.count});  // one label: whether the class is there
    for (int64_t i = 0; i < rows.count; ++i) {
      const bool there = chosen[static_cast<size_t>(i)];
      if (labels.strings())
        r.set_string(0, i, there ? "1" : "0");
      else
        y.data<int64_t>()[i] = there;
    }
  }
};

OG_OP(LinearClassifier, "ai.onnx.ml", 1) {
  op.doc("The class with the largest score X * coefficients + intercepts, and the scores of all classes.")
      .input("X", "T1")
      .output("Y", "T2")
      .output("Z", "tensor(float)")
      .attr("post_transform", "NONE")
      .optional_attr("classlabels_ints", OG_ATTR_INTS)
      .optional_attr("classlabels_strings", OG_ATTR_STRINGS)
      .attr("multi_class", 0)
      .optional_attr("intercepts", OG_ATTR_FLOATS)
      .required_attr("coefficients", OG_ATTR_FLOATS)
      .types("T1", {f32, f64, i64, i32})
      .types("T2", {str, i64})
      .infer([](Infer& c) {
        post_transform_of(c);
        const Sizes s = sizes_of(c);
        const int64_t rows = infer_rows(c, s.features).count;
        c.out(0, s.labels.dtype(), Dims{rows});
        c.out(1, f32, Dims{rows, s.columns});
      })
      .pure()
      .kernel<LinearClassifier>(cpu);
}

}  // namespace
