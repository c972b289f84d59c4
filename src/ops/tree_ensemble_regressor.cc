// TreeEnsembleRegressor: targets by decision trees; the older form of TreeEnsemble, with nodes numbered by tree.
#include <opgraft/trees.h>
using namespace opgraft;
namespace {

Aggregate aggregate_of(const Node& node) {
  static constexpr const char* kNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const std::string name = node.get("aggregate_function", "SUM");
  for (int i = 0; i < 4; ++i)
    if (name == kNames[i]) return static_cast<Aggregate>(i);
  fail("aggregate_function is \"" + name + "\", expected AVERAGE, SUM, MIN or MAX");
}

int64_t targets_of(const Node& node) {
  const int64_t targets = node.get("n_targets", int64_t{0});
  if (targets < 1) fail("n_targets = " + std::to_string(targets) + " must be at least 1");
  return targets;
}

template <bool Double>
struct Regressor {
  AnyForest forest;
  PostTransform transform = PostTransform::none;
  std::vector<double> base;

  void pack(Pack& p) {
    transform = post_transform_of(p);
    base = either_list<double>(p, "base_values");
    const int64_t targets = targets_of(p);
    if (!base.empty() && base.size() != static_cast<size_t>(targets))
      fail("base_values has " + count_text(base.size()) + " entries, it must have one per target (" +
           std::to_string(targets) + ") or none");
    const bool wide = Double || is_double_tensor(p, "nodes_values_as_tensor");
    forest.pack(wide, targets, aggregate_of(p),
                [&](auto zero) { return read_numbered_trees<decltype(zero)>(p, "target"); });
  }
  void run(Run& r) const {
    const Tensor x = r.input(0);
    const int64_t n = forest.targets();
    float* y = r.output(0, {rows_of(x.shape()).count, n}).data<float>();
    forest.score(r, x, [&](int64_t first, int64_t count, const double* scores, const uint8_t*) {
      float* to = y + first * n;
      for (int64_t i = 0; i < count; ++i, scores += n, to += n) {
        for (int64_t j = 0; j < n; ++j)
          to[j] = static_cast<float>(scores[j] + (base.empty() ? 0.0 : base[static_cast<size_t>(j)]));
        transform_scores(transform, to, n);
      }
    });
  }
};

OG_OP(TreeEnsembleRegressor, "ai.onnx.ml", 5) {
  op.doc("Targets by decision trees: sums, averages, minima or maxima of the votes of leaves, plus base values.")
      .input("X", "T")
      .output("Y", "tensor(float)")
      .attr("aggregate_function", "SUM")
      .attr("post_transform", "NONE")
      .optional_attr("n_targets", OG_ATTR_INT)
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
      .optional_attr("target_treeids", OG_ATTR_INTS)
      .optional_attr("target_nodeids", OG_ATTR_INTS)
      .optional_attr("target_ids", OG_ATTR_INTS)
      .optional_attr("target_weights", OG_ATTR_FLOATS)
      .optional_attr("target_weights_as_tensor", OG_ATTR_TENSOR)
      .optional_attr("base_values", OG_ATTR_FLOATS)
      .optional_attr("base_values_as_tensor", OG_ATTR_TENSOR)
      .types("T", {f32, f64, i64, i32})
      .infer([](Infer& c) {
        post_transform_of(c);
        aggregate_of(c);
        c.out(0, f32, Dims{infer_rows(c).count, targets_of(c)});
      })
      .pure()
      .kernel<Regressor<true>>(cpu, f64)
      .kernel<Regressor<false>>(cpu, f32)
      .kernel<Regressor<false>>(cpu, i64)
      .kernel<Regressor<false>>(cpu, i32);
  op.earlier(3).earlier(1, [](Op& o) {
    o.drop("base_values_as_tensor")
        .drop("target_weights_as_tensor")
        .drop("nodes_hitrates_as_tensor")
        .drop("nodes_values_as_tensor");
  });
}

}  // namespace
