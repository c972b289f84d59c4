// Decision trees behind TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier: checked and packed once, then
// walked for several rows at a time.
//
// A draft holds trees as a model gives them; a forest holds the nodes that can be reached, each tree from its root
// down. Branches may be shared, cycles are an error. A NaN takes the false branch unless its node says otherwise (or
// compares with "not equal"). Scores are summed in double precision. A forest is immutable: any number of threads may
// use it.
#ifndef OPGRAFT_TREES_H_
#define OPGRAFT_TREES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "opgraft/scores.h"

namespace opgraft OG_HIDDEN {

// Numbers as in TreeEnsemble's nodes_modes; leaf is what the older operators add.
enum class TreeMode : uint8_t { leq, lt, gte, gt, eq, neq, member, leaf };
// Numbers as in TreeEnsemble's aggregate_function.
enum class Aggregate { average, sum, min, max };

inline std::string count_text(size_t count) { return std::to_string(count); }

// A numeric list attribute, given as FLOATS or as a tensor.
template <class T>
std::vector<T> number_list(const Node& node, const char* name) {
  std::vector<T> result;
  const auto attr = node.find(name);
  if (!attr) return result;
  if (attr->kind == OG_ATTR_FLOATS) return std::vector<T>(attr->floats, attr->floats + attr->count);
  if (attr->kind != OG_ATTR_TENSOR) fail(std::string(name) + " is neither a list of floats nor a tensor");
  const Tensor tensor(attr->tensors[0]);
  result.resize(static_cast<size_t>(tensor.numel()));
  convert_elements(tensor, 0, tensor.numel(), result.data());
  return result;
}
inline bool is_double_tensor(const Node& node, const char* name) {
  const auto attr = node.find(name);
  return attr && attr->kind == OG_ATTR_TENSOR && attr->tensors[0].dtype == f64;
}

template <class T>
struct TreeVote {
  int64_t leaf;
  int64_t target;
  T weight;
};

// Node i compares feature[i] with value[i] (or with members[i]) and goes on to yes[i] or no[i]. A branch that is
// negative means leaf ~branch.
template <class T>
struct TreeDraft {
  std::vector<TreeMode> mode;
  std::vector<int64_t> feature, yes, no;
  std::vector<T> value;
  std::vector<int64_t> nan_is_true;     // empty = never
  std::vector<std::vector<T>> members;  // empty = no node has the mode member
  std::vector<int64_t> roots;
  std::vector<TreeVote<T>> votes;
  int64_t leaves = 0;
};

template <class T>
class Forest {
 public:
  Forest() = default;
  Forest(const TreeDraft<T>& draft, int64_t targets, Aggregate aggregate) : targets_(targets), aggregate_(aggregate) {
    check_sizes(draft);
    lay_out(draft);
    add_votes(draft);
  }

  int64_t trees() const { return static_cast<int64_t>(roots_.size()); }
  int64_t targets() const { return targets_; }

  // Calls finish(first, count, scores, seen) for all rows of x in blocks, in any order and from many threads: for each
  // row `targets` aggregated scores, 0 where no leaf had a vote, and whether one had.
  template <class F>
  void score(const Run& r, const Tensor& x, F&& finish) const {
    const Rows rows = rows_of(x.shape());
    if (rows.count == 0) return;
    if (largest_feature_ >= rows.features)
      fail("a node asks for feature " + std::to_string(largest_feature_) + ", X has " + std::to_string(rows.features) +
           " features");
    const int64_t block = std::clamp<int64_t>(kBlockScores / targets_, 1, kBlockRows);
    const int64_t blocks = (rows.count + block - 1) / block, threads = r.threads();
    const int64_t chunks = std::min(threads, trees() / kChunkTrees);
    if (blocks < threads && chunks > 1 && rows.count * targets_ <= kBlockScores && rows.count * trees() > kLittleWork)
      return score_by_trees(r, x, rows, block, chunks, finish);
    const int64_t grain = std::max<int64_t>(1, kLittleWork / (block * (trees() + 1)));
    r.parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
      Scores scores(std::min(block, rows.count) * targets_);
      std::vector<T> copy;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i * block, count = std::min(block, rows.count - first);
        if (i > begin) scores.clear();
        add_trees(row_data(x, first * rows.features, count * rows.features, copy), rows.features, count, 0, trees(),
                  scores.value.data(), scores.seen.data());
        scale(scores.value.data(), count);
        finish(first, count, scores.value.data(), scores.seen.data());
      }
    });
  }

 private:
  static constexpr int64_t kBlockRows = 64;       // rows whose features stay in the cache while trees pass by
  static constexpr int64_t kBlockScores = 65536;  // scores held at a time by one thread
  static constexpr int64_t kChunkTrees = 8;       // least trees for a thread
  static constexpr int64_t kLittleWork = 2048;    // tree walks that one thread does alone
  static constexpr int64_t kLanes = 8;            // rows walked at once, so that the waiting for memory overlaps
  static constexpr uint8_t kNanIsTrue = 16;       // in kinds_, beside the mode

  struct Node {
    T value;
    int32_t feature;
    int32_t next[2];  // no, yes; a leaf points to itself
  };
  struct Scores {
    explicit Scores(int64_t count) : value(static_cast<size_t>(count)), seen(static_cast<size_t>(count)) {}
    void clear() {
      std::fill(value.begin(), value.end(), 0.0);
      std::fill(seen.begin(), seen.end(), uint8_t{0});
    }
    std::vector<double> value;
    std::vector<uint8_t> seen;
  };

  // ---- packing ----

  void check_sizes(const TreeDraft<T>& draft) const {
    const size_t count = draft.mode.size();
    const auto same = [&](size_t size, const char* what) {
      if (size != count)
        fail("there are " + count_text(count) + " node modes but " + count_text(size) + " " + what +
             "; lists about nodes must have the same length");
    };
    same(draft.feature.size(), "feature ids");
    same(draft.value.size(), "node values");
    same(draft.yes.size(), "true branches");
    same(draft.no.size(), "false branches");
    if (!draft.nan_is_true.empty()) same(draft.nan_is_true.size(), "missing value tracks");
    if (count >= static_cast<size_t>(INT32_MAX) || draft.leaves >= INT32_MAX - static_cast<int64_t>(count))
      fail("more than 2^31 nodes");
    if (targets_ < 1) fail("there are " + std::to_string(targets_) + " targets; at least 1 is needed");
  }

  // Numbers nodes in the order in which a walk down the trees meets them.
  void lay_out(const TreeDraft<T>& draft) {
    const auto count = static_cast<int64_t>(draft.mode.size());
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(draft.mode.size(), kNew);
    std::vector<int32_t> number(draft.mode.size());
    leaf_number_.assign(static_cast<size_t>(draft.leaves), -1);
    int32_t leaves = 0;
    std::vector<std::pair<int64_t, int>> stack;  // node, branches that are done
    const auto enter = [&](int64_t branch) {
      if (branch < 0) {
        if (~branch >= draft.leaves)
          fail("a branch leads to leaf " + std::to_string(~branch) + ", there are " + std::to_string(draft.leaves));
        int32_t& leaf = leaf_number_[static_cast<size_t>(~branch)];
        if (leaf < 0) leaf = leaves++;
        return;
      }
      if (branch >= count)
        fail("a branch leads to node " + std::to_string(branch) + ", there are " + std::to_string(count));
      const auto at = static_cast<size_t>(branch);
      if (state[at] == kOpen) fail("node " + std::to_string(branch) + " is below itself: trees must have no cycles");
      if (state[at] == kDone) return;
      state[at] = kOpen;
      number[at] = static_cast<int32_t>(nodes_.size());
      add_node(draft, at);
      stack.emplace_back(branch, 0);
    };
    for (const int64_t root : draft.roots) {
      enter(root);
      while (!stack.empty()) {
        auto& [node, done] = stack.back();
        const auto at = static_cast<size_t>(node);
        if (done == 2) {
          state[at] = kDone;
          stack.pop_back();
        } else {
          const int64_t branch = done++ == 0 ? draft.no[at] : draft.yes[at];
          enter(branch);
        }
      }
    }
    interior_ = static_cast<int32_t>(nodes_.size());
    const auto final_number = [&](int64_t branch) {
      return branch < 0 ? interior_ + leaf_number_[static_cast<size_t>(~branch)] : number[static_cast<size_t>(branch)];
    };
    for (size_t i = 0; i < state.size(); ++i) {
      if (state[i] == kNew) continue;
      Node& node = nodes_[static_cast<size_t>(number[i])];
      node.next[0] = final_number(draft.no[i]);
      node.next[1] = final_number(draft.yes[i]);
    }
    for (int32_t i = 0; i < leaves; ++i) nodes_.push_back({T(0), 0, {interior_ + i, interior_ + i}});
    kinds_.resize(nodes_.size(), static_cast<uint8_t>(TreeMode::leaf));
    for (const int64_t root : draft.roots) roots_.push_back(final_number(root));
    leaf_count_ = leaves;
    choose_walk();
  }

  void add_node(const TreeDraft<T>& draft, size_t at) {
    if (draft.feature[at] < 0 || draft.feature[at] > INT32_MAX)
      fail("feature id " + std::to_string(draft.feature[at]) + " of node " + count_text(at) + " is out of range");
    largest_feature_ = std::max(largest_feature_, draft.feature[at]);
    const bool tracks = !draft.nan_is_true.empty() && draft.nan_is_true[at] != 0;
    kinds_.push_back(static_cast<uint8_t>(static_cast<uint8_t>(draft.mode[at]) | (tracks ? kNanIsTrue : 0)));
    nodes_.push_back({draft.value[at], static_cast<int32_t>(draft.feature[at]), {0, 0}});
    if (draft.mode[at] != TreeMode::member) return;
    sets_.resize(nodes_.size());
    if (!draft.members.empty()) sets_.back() = draft.members[at];
    std::sort(sets_.back().begin(), sets_.back().end());
  }

  void choose_walk() {
    uniform_ = interior_ > 0;
    any_track_ = false;
    for (int32_t i = 0; i < interior_; ++i) {
      const uint8_t kind = kinds_[static_cast<size_t>(i)];
      any_track_ = any_track_ || (kind & kNanIsTrue);
      uniform_ = uniform_ && (kind & ~kNanIsTrue) == (kinds_[0] & ~kNanIsTrue);
    }
  }

  void add_votes(const TreeDraft<T>& draft) {
    std::vector<TreeVote<T>> votes;
    for (const auto& vote : draft.votes) {
      if (vote.target < 0 || vote.target >= targets_)
        fail("a leaf votes for target " + std::to_string(vote.target) + ", there are " + std::to_string(targets_));
      if (vote.leaf < 0 || vote.leaf >= draft.leaves) fail("a vote belongs to leaf " + std::to_string(vote.leaf));
      const int32_t leaf = leaf_number_[static_cast<size_t>(vote.leaf)];
      if (leaf >= 0) votes.push_back({leaf, vote.target, vote.weight});
    }
    leaf_number_.clear();
    std::stable_sort(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.leaf < b.leaf; });
    vote_begin_.assign(static_cast<size_t>(leaf_count_) + 1, 0);
    for (const auto& vote : votes) {
      ++vote_begin_[static_cast<size_t>(vote.leaf) + 1];
      vote_target_.push_back(vote.target);
      vote_weight_.push_back(vote.weight);
    }
    single_ =
        targets_ == 1 && std::all_of(vote_begin_.begin() + 1, vote_begin_.end(), [](int64_t n) { return n == 1; });
    for (size_t i = 1; i < vote_begin_.size(); ++i) vote_begin_[i] += vote_begin_[i - 1];
  }

  // ---- scoring ----

  // Few rows and many trees: each thread has some of the trees.
  template <class F>
  void score_by_trees(const Run& r, const Tensor& x, Rows rows, int64_t block, int64_t chunks, F&& finish) const {
    const int64_t size = rows.count * targets_;
    Scores all(chunks * size);
    std::vector<T> copy;
    const T* data = row_data(x, 0, rows.count * rows.features, copy);
    r.parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk)
        for (int64_t first = 0; first < rows.count; first += block)
          add_trees(data + first * rows.features, rows.features, std::min(block, rows.count - first),
                    chunk * trees() / chunks, (chunk + 1) * trees() / chunks,
                    all.value.data() + chunk * size + first * targets_,
                    all.seen.data() + chunk * size + first * targets_);
    });
    for (int64_t chunk = 1; chunk < chunks; ++chunk)
      for (int64_t i = 0; i < size; ++i)
        if (all.seen[static_cast<size_t>(chunk * size + i)])
          add(all.value[static_cast<size_t>(i)], all.seen[static_cast<size_t>(i)],
              all.value[static_cast<size_t>(chunk * size + i)]);
    scale(all.value.data(), rows.count);
    finish(int64_t{0}, rows.count, all.value.data(), all.seen.data());
  }

  static const T* row_data(const Tensor& x, int64_t first, int64_t count, std::vector<T>& copy) {
    if (x.dtype() == dtype_of<T>) return x.data<T>() + first;
    copy.resize(static_cast<size_t>(count));
    convert_elements(x, first, count, copy.data());
    return copy.data();
  }

  void scale(double* scores, int64_t rows) const {
    if (aggregate_ != Aggregate::average) return;
    for (int64_t i = 0; i < rows * targets_; ++i) scores[i] /= static_cast<double>(trees());
  }

  void add(double& score, uint8_t& seen, double weight) const {
    if (!seen || aggregate_ == Aggregate::sum || aggregate_ == Aggregate::average)
      score += weight;
    else
      score = aggregate_ == Aggregate::min ? std::min(score, weight) : std::max(score, weight);
    seen = 1;
  }

  void add_trees(const T* x, int64_t stride, int64_t rows, int64_t begin, int64_t end, double* scores,
                 uint8_t* seen) const {
    const auto go = [&](auto test) {
      using AllLanes = std::integral_constant<int64_t, kLanes>;
      const int64_t whole = rows / kLanes * kLanes;
      std::array<int32_t, kLanes> at;
      for (int64_t tree = begin; tree < end && whole > 0; ++tree)
        for (int64_t row = 0; row < whole; row += kLanes) {
          at.fill(roots_[static_cast<size_t>(tree)]);
          walk(x + row * stride, stride, AllLanes{}, at.data(), test);
          add_leaves(at.data(), kLanes, scores + row * targets_, seen + row * targets_, targets_);
        }
      // The rows that are left go down several trees at once, each alone.
      for (int64_t row = whole; row < rows; ++row) {
        int64_t tree = begin;
        for (; tree + kLanes <= end; tree += kLanes) {
          std::copy_n(roots_.data() + tree, kLanes, at.data());
          walk(x + row * stride, 0, AllLanes{}, at.data(), test);
          add_leaves(at.data(), kLanes, scores + row * targets_, seen + row * targets_, 0);
        }
        std::copy(roots_.data() + tree, roots_.data() + end, at.data());
        walk(x + row * stride, 0, end - tree, at.data(), test);
        add_leaves(at.data(), end - tree, scores + row * targets_, seen + row * targets_, 0);
      }
    };
    const auto with_mode = [&](auto tracks) {
      constexpr bool kTracks = decltype(tracks)::value;
      const auto mode = static_cast<TreeMode>(kinds_.empty() ? 0 : kinds_[0] & ~kNanIsTrue);
      if (uniform_ && mode == TreeMode::leq)
        go([this](T v, const Node& node, int32_t at) { return v <= node.value || nan_true<kTracks>(v, at); });
      else if (uniform_ && mode == TreeMode::lt)
        go([this](T v, const Node& node, int32_t at) { return v < node.value || nan_true<kTracks>(v, at); });
      else
        go([this](T v, const Node& node, int32_t at) { return holds(v, node, at) || nan_true<kTracks>(v, at); });
    };
    if (any_track_)
      with_mode(std::true_type{});
    else
      with_mode(std::false_type{});
  }

  template <bool Tracks>
  bool nan_true(T value, int32_t at) const {
    if constexpr (Tracks) return value != value && (kinds_[static_cast<size_t>(at)] & kNanIsTrue);
    return false;
  }

  bool holds(T value, const Node& node, int32_t at) const {
    switch (static_cast<TreeMode>(kinds_[static_cast<size_t>(at)] & ~kNanIsTrue)) {
      case TreeMode::leq:
        return value <= node.value;
      case TreeMode::lt:
        return value < node.value;
      case TreeMode::gte:
        return value >= node.value;
      case TreeMode::gt:
        return value > node.value;
      case TreeMode::eq:
        return value == node.value;
      case TreeMode::neq:
        return value != node.value;
      case TreeMode::member: {
        const auto& set = sets_[static_cast<size_t>(at)];
        return value == value && std::binary_search(set.begin(), set.end(), value);
      }
      default:
        return false;
    }
  }

  // Goes from the nodes in `at` down to leaves; x moves on by `stride` from one entry to the next.
  template <class Count, class Test>
  void walk(const T* x, int64_t stride, Count count, int32_t* at, const Test& test) const {
    const Node* nodes = nodes_.data();
    bool on = false;
    for (int64_t k = 0; k < count; ++k) on |= at[k] < interior_;
    while (on) {
      on = false;
      for (int64_t k = 0; k < count; ++k) {
        const Node& node = nodes[at[k]];
        at[k] = node.next[test(x[k * stride + node.feature], node, at[k])];
        on |= at[k] < interior_;
      }
    }
  }

  // The scores of one leaf after the other are `step` apart.
  void add_leaves(const int32_t* at, int64_t count, double* scores, uint8_t* seen, int64_t step) const {
    if (single_ && (aggregate_ == Aggregate::sum || aggregate_ == Aggregate::average)) {
      for (int64_t k = 0; k < count; ++k) {
        scores[k * step] += static_cast<double>(vote_weight_[static_cast<size_t>(at[k] - interior_)]);
        seen[k * step] = 1;
      }
      return;
    }
    for (int64_t k = 0; k < count; ++k, scores += step, seen += step) {
      const auto leaf = static_cast<size_t>(at[k] - interior_);
      for (int64_t i = vote_begin_[leaf]; i < vote_begin_[leaf + 1]; ++i) {
        const int64_t target = vote_target_[static_cast<size_t>(i)];
        add(scores[target], seen[target], static_cast<double>(vote_weight_[static_cast<size_t>(i)]));
      }
    }
  }

  std::vector<Node> nodes_;  // interior ones, then leaves
  std::vector<uint8_t> kinds_;
  std::vector<std::vector<T>> sets_;  // by node
  std::vector<int32_t> roots_;
  std::vector<int32_t> leaf_number_;  // while packing
  std::vector<int64_t> vote_begin_;   // by leaf
  std::vector<int64_t> vote_target_;
  std::vector<T> vote_weight_;
  int64_t targets_ = 0, largest_feature_ = -1;
  int32_t interior_ = 0, leaf_count_ = 0;
  Aggregate aggregate_ = Aggregate::sum;
  bool uniform_ = false, any_track_ = false, single_ = false;
};

// A forest whose numbers are those of its model: double ones are kept where float ones would change a comparison.
class AnyForest {
 public:
  // read(T) gives the draft in numbers of T.
  template <class F>
  void pack(bool wide, int64_t targets, Aggregate aggregate, F&& read) {
    wide_ = wide;
    if (wide)
      doubles_ = Forest<double>(read(double{}), targets, aggregate);
    else
      floats_ = Forest<float>(read(float{}), targets, aggregate);
  }
  int64_t targets() const { return wide_ ? doubles_.targets() : floats_.targets(); }
  template <class F>
  void score(const Run& r, const Tensor& x, F&& finish) const {
    if (wide_)
      doubles_.score(r, x, finish);
    else
      floats_.score(r, x, finish);
  }

 private:
  bool wide_ = false;
  Forest<float> floats_;
  Forest<double> doubles_;
};

// ---- The form of TreeEnsembleRegressor and TreeEnsembleClassifier ----

inline TreeMode tree_mode_of(const std::string& name) {
  static constexpr const char* kNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                           "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  for (int i = 0; i < 8; ++i)
    if (i != 6 && name == kNames[i]) return static_cast<TreeMode>(i);
  fail("nodes_modes has \"" + name +
       "\", expected BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ or LEAF");
}

// A list of numbers in one of two attributes: `name`, or `name`_as_tensor.
template <class T>
std::vector<T> either_list(const Node& node, const std::string& name) {
  const std::string tensor = name + "_as_tensor";
  std::vector<T> plain = number_list<T>(node, name.c_str()), other = number_list<T>(node, tensor.c_str());
  if (!plain.empty() && !other.empty()) fail(name + " and " + tensor + " are both given; only one may be");
  return plain.empty() ? other : plain;
}

// `votes`: "target" or "class", the beginning of the names of the attributes about leaves.
template <class T>
TreeDraft<T> read_numbered_trees(const Node& node, const std::string& votes) {
  TreeDraft<T> draft;
  for (const auto& name : node.strings("nodes_modes")) draft.mode.push_back(tree_mode_of(name));
  draft.feature = node.ints("nodes_featureids");
  draft.value = either_list<T>(node, "nodes_values");
  draft.nan_is_true = node.ints("nodes_missing_value_tracks_true");
  draft.yes = node.ints("nodes_truenodeids");
  draft.no = node.ints("nodes_falsenodeids");
  const auto trees = node.ints("nodes_treeids"), ids = node.ints("nodes_nodeids");
  const size_t count = draft.mode.size();
  for (const size_t size : {draft.feature.size(), draft.yes.size(), draft.no.size(), trees.size(), ids.size()})
    if (size != count)
      fail("nodes_modes has " + count_text(count) + " entries, another nodes_ list has " + count_text(size) +
           "; all must have the same length");
  draft.leaves = static_cast<int64_t>(count);
  using Key = std::array<int64_t, 3>;  // tree, id in the tree, position in the lists
  std::vector<Key> keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = {trees[i], ids[i], static_cast<int64_t>(i)};
  std::sort(keys.begin(), keys.end());
  const auto named = [](int64_t tree, int64_t id) {
    return "node " + std::to_string(id) + " of tree " + std::to_string(tree);
  };
  for (size_t i = 1; i < count; ++i)
    if (keys[i][0] == keys[i - 1][0] && keys[i][1] == keys[i - 1][1])
      fail(named(keys[i][0], keys[i][1]) + " is there twice");
  const auto find = [&](int64_t tree, int64_t id, const char* what) {
    const auto found = std::lower_bound(keys.begin(), keys.end(), Key{tree, id, -1});
    if (found == keys.end() || (*found)[0] != tree || (*found)[1] != id)
      fail(std::string(what) + " names " + named(tree, id) + ", which is not there");
    return (*found)[2];
  };
  const auto branch = [&](int64_t at) { return draft.mode[static_cast<size_t>(at)] == TreeMode::leaf ? ~at : at; };
  for (size_t i = 0; i < count; ++i) {
    const bool leaf = draft.mode[i] == TreeMode::leaf;
    draft.yes[i] = leaf ? 0 : branch(find(trees[i], draft.yes[i], "nodes_truenodeids"));
    draft.no[i] = leaf ? 0 : branch(find(trees[i], draft.no[i], "nodes_falsenodeids"));
  }
  // The first node of a tree is its root.
  for (size_t i = 0; i < count;) {
    const int64_t tree = keys[i][0];
    int64_t first = keys[i][2];
    for (; i < count && keys[i][0] == tree; ++i) first = std::min(first, keys[i][2]);
    draft.roots.push_back(first);
  }
  std::sort(draft.roots.begin(), draft.roots.end());
  for (auto& root : draft.roots) root = branch(root);
  const auto vote_trees = node.ints((votes + "_treeids").c_str()), vote_nodes = node.ints((votes + "_nodeids").c_str()),
             targets = node.ints((votes + "_ids").c_str());
  const auto weights = either_list<T>(node, votes + "_weights");
  for (const size_t size : {vote_trees.size(), vote_nodes.size(), weights.size()})
    if (size != targets.size())
      fail(votes + "_ids has " + count_text(targets.size()) + " entries, another " + votes + "_ list has " +
           count_text(size) + "; all must have the same length");
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t at = find(vote_trees[i], vote_nodes[i], (votes + "_nodeids").c_str());
    // Some converters give weights to inner nodes, which mean nothing.
    if (draft.mode[static_cast<size_t>(at)] == TreeMode::leaf) draft.votes.push_back({at, targets[i], weights[i]});
  }
  return draft;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_TREES_H_
