// TreeEnsemble: a forest of decision trees whose leaves add to, or compete for, scores of targets.
#include <opgraft/trees.h>
using namespace opgraft;
namespace {

Aggregate aggregate_of(const Node& node) {
  const int64_t kind = node.get("aggregate_function", int64_t{1});
  if (kind < 0 || kind > 3) fail("aggregate_function = " + std::to_string(kind) + " must be in [0, 3]");
  return static_cast<Aggregate>(kind);
}

int64_t targets_of(const Node& node) {
  const int64_t targets = node.get("n_targets", int64_t{0});
  if (targets < 1) fail("n_targets = " + std::to_string(targets) + " must be at least 1");
  return targets;
}

template <class T>
TreeDraft<T> read_trees(const Node& node) {
  TreeDraft<T> draft;
  const auto modes = number_list<int64_t>(node, "nodes_modes");
  size_t member_nodes = 0;
  for (const int64_t mode : modes) {
    if (mode < 0 || mode > 6) fail("nodes_modes has " + std::to_string(mode) + ", it must be in [0, 6]");
    draft.mode.push_back(static_cast<TreeMode>(mode));
    member_nodes += draft.mode.back() == TreeMode::member;
  }
  draft.feature = node.ints("nodes_featureids");
  draft.value = number_list<T>(node, "nodes_splits");
  draft.nan_is_true = node.ints("nodes_missing_value_tracks_true");
  draft.yes = node.ints("nodes_truenodeids");
  draft.no = node.ints("nodes_falsenodeids");
  for (const bool side : {true, false}) {
    auto& branches = side ? draft.yes : draft.no;
    const auto leafs = node.ints(side ? "nodes_trueleafs" : "nodes_falseleafs");
    if (leafs.size() != branches.size())
      fail(std::string(side ? "nodes_trueleafs" : "nodes_falseleafs") + " has " + count_text(leafs.size()) +
           " entries for " + count_text(branches.size()) + " nodes");
    for (size_t i = 0; i < branches.size(); ++i) {
      if (branches[i] < 0) fail("node " + count_text(i) + " has the branch " + std::to_string(branches[i]));
      if (leafs[i]) branches[i] = ~branches[i];
    }
  }
  draft.roots = node.ints("tree_roots");
  for (const int64_t root : draft.roots)
    if (root < 0) fail("tree_roots has " + std::to_string(root));
  const auto targets = node.ints("leaf_targetids");
  const auto weights = number_list<T>(node, "leaf_weights");
  if (targets.size() != weights.size())
    fail("leaf_targetids has " + count_text(targets.size()) + " entries, leaf_weights has " +
         count_text(weights.size()));
  draft.leaves = static_cast<int64_t>(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) draft.votes.push_back({static_cast<int64_t>(i), targets[i], weights[i]});
  if (member_nodes == 0) return draft;
  // One set for each member node, in their order; a NaN ends a set.
  const auto values = number_list<T>(node, "membership_values");
  draft.members.resize(draft.mode.size());
  size_t at = 0;
  for (size_t i = 0; i < draft.mode.size(); ++i) {
    if (draft.mode[i] != TreeMode::member) continue;
    if (at >= values.size())
      fail("membership_values has fewer sets than there are nodes of mode BRANCH_MEMBER (" + count_text(member_nodes) +
           ")");
    for (; at < values.size() && values[at] == values[at]; ++at) draft.members[i].push_back(values[at]);
    ++at;
  }
  return draft;
}

template <class T>
struct TreeEnsemble {
  AnyForest forest;
  PostTransform transform = PostTransform::none;

  void pack(Pack& p) {
    transform = post_transform_of(p);
    const bool wide = std::is_same_v<T, double> || is_double_tensor(p, "nodes_splits");
    forest.pack(wide, targets_of(p), aggregate_of(p), [&](auto zero) { return read_trees<decltype(zero)>(p); });
  }
  void run(Run& r) const {
    const Tensor x = r.input(0);
    const int64_t n = forest.targets();
    T* y = r.output(0, {rows_of(x.shape()).count, n}).template data<T>();
    forest.score(r, x, [&](int64_t first, int64_t count, const double* scores, const uint8_t*) {
      T* to = y + first * n;
      for (int64_t i = 0; i < count * n; ++i) to[i] = static_cast<T>(scores[i]);
      for (int64_t i = 0; i < count; ++i) transform_scores(transform, to + i * n, n);
    });
  }
};

OG_OP(TreeEnsemble, "ai.onnx.ml", 5) {
  op.doc("Scores of targets by decision trees: sums, averages, minima or maxima of the leaves that a row comes to.")
      .input("X", "T")
      .output("Y", "T")
      .attr("aggregate_function", 1)
      .attr("post_transform", 0)
      .required_attr("tree_roots", OG_ATTR_INTS)
      .optional_attr("nodes_hitrates", OG_ATTR_TENSOR)
      .optional_attr("nodes_missing_value_tracks_true", OG_ATTR_INTS)
      .required_attr("nodes_modes", OG_ATTR_TENSOR)
      .required_attr("leaf_weights", OG_ATTR_TENSOR)
      .required_attr("leaf_targetids", OG_ATTR_INTS)
      .required_attr("nodes_falsenodeids", OG_ATTR_INTS)
      .optional_attr("n_targets", OG_ATTR_INT)
      .required_attr("nodes_trueleafs", OG_ATTR_INTS)
      .required_attr("nodes_featureids", OG_ATTR_INTS)
      .required_attr("nodes_splits", OG_ATTR_TENSOR)
      .required_attr("nodes_falseleafs", OG_ATTR_INTS)
      .required_attr("nodes_truenodeids", OG_ATTR_INTS)
      .optional_attr("membership_values", OG_ATTR_TENSOR)
      .types("T", types::ieee)
      .infer([](Infer& c) {
        post_transform_of(c);
        aggregate_of(c);
        c.out(0, c.dtype(0), Dims{infer_rows(c).count, targets_of(c)});
      })
      .pure()
      .kernel<TreeEnsemble<float>>(cpu, f32)
      .kernel<TreeEnsemble<double>>(cpu, f64);
}

}  // namespace
