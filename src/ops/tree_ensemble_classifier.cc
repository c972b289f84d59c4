// TreeEnsembleClassifier: the class that decision trees vote for, and the scores of all classes.
//
// With two classes the votes are read as other engines read them: votes for one class alone are the score of the second
// one (a probability when no weight is negative, else a margin), and what is missing of the other's score follows.
#include <opgraft/trees.h>
using namespace opgraft;
namespace {

template <bool Double>
struct Classifier {
  AnyForest forest;
  Labels labels;
  PostTransform transform = PostTransform::none;
  std::vector<double> base;
  bool one_voted = false;    // all votes are for one class
  bool all_positive = true;  // no vote is negative

  void pack(Pack& p) {
    transform = post_transform_of(p);
    labels = Labels(p, "classlabels_int64s");
    const int64_t n = labels.size();
    base = either_list<double>(p, "base_values");
    if (!base.empty() && base.size() != static_cast<size_t>(n) && !(n == 2 && base.size() == 1))
      fail("base_values has " + count_text(base.size()) + " entries, it must have one per class (" + std::to_string(n) +
           ") or none");
    const auto ids = p.ints("class_ids");
    one_voted = !ids.empty() && std::all_of(ids.begin(), ids.end(), [&](int64_t id) { return id == ids[0]; });
    for (const double weight : either_list<double>(p, "class_weights")) all_positive = all_positive && weight >= 0;
    const bool wide = Double || is_double_tensor(p, "nodes_values_as_tensor");
    forest.pack(wide, n, Aggregate::sum, [&](auto zero) { return read_numbered_trees<decltype(zero)>(p, "class"); });
  }

  // The position of the class of two; scores[0] and [1] become those of the output.
  int64_t choose_of_two(double* scores, bool first, bool second) const {
    const bool both_given = base.size() == 2;
    if (both_given && second) {
      scores[1] = base[1] + scores[0];
      scores[0] = first ? -scores[1] : 0.0;
    } else if (both_given) {
      if (first) scores[0] += base[0];
      scores[1] = 0.0;
    } else if (base.size() == 1) {
      scores[0] += base[0];
      if (!first) scores[0] = 0.0;
    }
    const double decisive = second ? scores[1] : scores[0];
    const int64_t chosen = decisive > (one_voted && all_positive ? 0.5 : 0.0) ? 1 : 0;
    if (second || both_given) {
      transform_scores(transform, scores, 2);
      return chosen;
    }
    const double other = one_voted && all_positive ? 1 - decisive : -decisive;
    scores[0] = other;
    scores[1] = decisive;
    if (transform == PostTransform::logistic)
      scores[0] = logistic(-decisive), scores[1] = logistic(decisive);
    else if (transform == PostTransform::probit)
      transform_scores(transform, scores, 2);
    return chosen;
  }

  int64_t choose_of_many(double* scores, const uint8_t* seen) const {
    const auto n = static_cast<size_t>(labels.size());
    size_t best = n;
    for (size_t i = 0; i < n; ++i) {
      if (!base.empty()) scores[i] += base[i];
      if ((seen[i] || !base.empty()) && (best == n || scores[i] > scores[best])) best = i;
    }
    transform_scores(transform, scores, static_cast<int64_t>(n));
    return best == n ? 0 : static_cast<int64_t>(best);
  }

  void run(Run& r) const {
    const Tensor x = r.input(0);
    const int64_t rows = rows_of(x.shape()).count, n = labels.size();
    float* z = r.uses_output(1) ? r.output(1, {rows, n}).data<float>() : nullptr;
    std::vector<int64_t> chosen(static_cast<size_t>(rows));
    forest.score(r, x, [&](int64_t first, int64_t count, double* scores, const uint8_t* seen) {
      for (int64_t i = 0; i < count; ++i, scores += n, seen += n) {
        int64_t& choice = chosen[static_cast<size_t>(first + i)];
        if (n == 1) {
          if (!base.empty()) scores[0] += base[0];
          choice = scores[0] > 0 ? 1 : 0;
          transform_scores(transform, scores, 1);
        } else {
          choice = n == 2 ? choose_of_two(scores, seen[0], seen[1]) : choose_of_many(scores, seen);
        }
        for (int64_t j = 0; z && j < n; ++j) z[(first + i) * n + j] = static_cast<float>(scores[j]);
      }
    });
    // Integer labels of a single class, or of two that both have votes, are not looked up: the answer is 1 or 0.
    if (!labels.strings() && (n == 1 || (n == 2 && !one_voted))) {
      const Tensor y = r.output(0, {rows});
      std::copy(chosen.begin(), chosen.end(), y.data<int64_t>());
      return;
    }
    if (n == 1) std::fill(chosen.begin(), chosen.end(), 0);
    labels.write(r, chosen);
  }
};

OG_OP(TreeEnsembleClassifier, "ai.onnx.ml", 5) {
  op.doc("The class that decision trees vote for, and the scores of all classes.")
      .input("X", "T1")
      .output("Y", "T2")
      .output("Z", "tensor(float)")
      .attr("post_transform", "NONE")
      .optional_attr("classlabels_int64s", OG_ATTR_INTS)
      .optional_attr("classlabels_strings", OG_ATTR_STRINGS)
      .optional_attr("nodes_nodeids", OG_ATTR_INTS)
      .optional_attr("nodes_treeids", OG_ATTR_INTS)
      .optional_attr("nodes_featureids", OG_ATTR_INTS)
      .optional_attr("nodes_values", OG_ATTR_FLOATS)
      .optional_attr("nodes_values_as_tensor", OG_ATTR_TENSOR)
      .optional_attr("nodes_hitrates", OG_ATTR_FLOATS)
      .optional_attr("nodes_hitrates_as_tensor", OG_ATTR_TENSOR)
      .optional_attr("nodes_missing_value_tracks_true", OG_ATTR_INTS)
      .optional_attr("nodes_modes", OG_ATTR_STRINGS)
      .optional_attr("nodes_truenodeids", OG_ATTR_INTS)
      .optional_attr("nodes_falsenodeids", OG_ATTR_INTS)
      .optional_attr("class_treeids", OG_ATTR_INTS)
      .optional_attr("class_nodeids", OG_ATTR_INTS)
      .optional_attr("class_ids", OG_ATTR_INTS)
      .optional_attr("class_weights", OG_ATTR_FLOATS)
      .optional_attr("class_weights_as_tensor", OG_ATTR_TENSOR)
      .optional_attr("base_values", OG_ATTR_FLOATS)
      .optional_attr("base_values_as_tensor", OG_ATTR_TENSOR)
      .types("T1", {f32, f64, i64, i32})
      .types("T2", {str, i64})
      .infer([](Infer& c) {
        post_transform_of(c);
        const Labels labels(c, "classlabels_int64s");
        const int64_t rows = infer_rows(c).count;
        c.out(0, labels.dtype(), Dims{rows});
        c.out(1, f32, Dims{rows, labels.size()});
      })
      .pure()
      .kernel<Classifier<true>>(cpu, f64)
      .kernel<Classifier<false>>(cpu, f32)
      .kernel<Classifier<false>>(cpu, i64)
      .kernel<Classifier<false>>(cpu, i32);
  op.earlier(3).earlier(1, [](Op& o) {
    o.drop("base_values_as_tensor")
        .drop("class_weights_as_tensor")
        .drop("nodes_hitrates_as_tensor")
        .drop("nodes_values_as_tensor");
  });
}

}  // namespace
