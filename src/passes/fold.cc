// Folding of nodes with known inputs.
#include "passes/fold.h"

#include <algorithm>

#include "base/error.h"

namespace opgraft::passes {
namespace {

constexpr int64_t kLoadElements = int64_t(1) << 28;
constexpr uint64_t kMaxLateBytes = uint64_t(1) << 28;  // of an output whose dims only the run tells
constexpr int64_t kGrowth = 16;                        // a folded result may be this much larger than its inputs ...
constexpr int64_t kSmall = 1 << 16;                    // ... or this many bytes

// Expanding a scalar to a huge tensor would cost memory without saving time.
bool worthwhile(const ir::Node& node, const Facts& facts) {
  int64_t in = 0, out = 0;
  const auto bytes = [&](const ir::Value* value) {
    const ir::Type& type = facts.type(value);
    return type.concrete() && type.kind == OG_TENSOR
               ? static_cast<int64_t>(dtype_bytes(type.dtype, static_cast<uint64_t>(type.numel())))
               : int64_t(0);
  };
  for (const ir::Value* value : node.inputs)
    if (value) in += bytes(value);
  for (const ir::Value* value : node.outputs)
    if (value) out += bytes(value);
  return node.inputs.empty() || out <= kSmall || out <= in * kGrowth;
}

}  // namespace

bool foldable(const ir::Node& node, const Facts& facts, const FoldLimits& limits) {
  if (!node.op || !node.op->pure() || node.capture_count) return false;
  for (const auto& attribute : node.attributes)
    if (!attribute.graphs.empty()) return false;
  for (const ir::Value* value : node.inputs)
    if (value && !facts.constant(value)) return false;
  for (const ir::Value* value : node.outputs) {
    if (!value) continue;
    const ir::Type& type = facts.type(value);
    if (type.known() && !type.is_tensor()) return false;
    if (type.concrete() && type.numel() > limits.output_elements) return false;
  }
  return true;
}

bool fold_node(const ir::Node& node, const BoundKernel& kernel, Facts& facts) {
  if (kernel.def().flags & OG_KERNEL_CALLING_THREAD) return false;
  std::vector<og_value> inputs;
  for (const ir::Value* value : node.inputs) {
    og_value absent{};
    absent.size = sizeof(absent);
    inputs.push_back(value ? ir::to_abi(*facts.constant(value)) : absent);
  }
  std::vector<ir::Type> types;
  std::vector<char> used;
  for (const ir::Value* value : node.outputs) {
    types.push_back(value ? facts.type(value) : ir::Type{});
    used.push_back(value != nullptr);
  }
  RunOnce options;
  options.max_bytes = kMaxLateBytes;
  try {
    const auto results = run_once(kernel, inputs, node.capture_count, types, used, options);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!used[i]) continue;
      if (results[i].abi().kind != OG_TENSOR && results[i].abi().kind != OG_STRINGS) return false;
      const auto slot = static_cast<size_t>(node.outputs[i]->index);
      facts.constants[slot] = results[i].tensor();
      facts.types[slot] = facts.constants[slot]->type();
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

namespace {

void fold_graph(ir::Graph& graph, Facts& facts, const InferOptions& options, bool fold, bool inner);

// Subgraphs see what is known of the outer values they capture.
void fold_subgraphs(ir::Node& node, Facts& facts, const InferOptions& options, bool fold) {
  for (auto& attribute : node.attributes)
    for (auto& subgraph : attribute.graphs) {
      Facts inner(*subgraph);
      for (const auto& value : subgraph->values)
        if (!inner.constants[static_cast<size_t>(value->index)])
          inner.types[static_cast<size_t>(value->index)] = value->type;
      for (const auto& capture : subgraph->captures) {
        const ir::Value* outer = node.inputs[static_cast<size_t>(node.explicit_inputs() + capture.index)];
        const auto slot = static_cast<size_t>(capture.inner->index);
        inner.types[slot] = facts.type(outer);
        inner.constants[slot] = facts.constant(outer);
        capture.inner->constant = facts.constant(outer);
      }
      fold_graph(*subgraph, inner, options, fold, true);
    }
}

void fold_graph(ir::Graph& graph, Facts& facts, const InferOptions& options, bool fold, bool inner) {
  const FoldLimits limits{kLoadElements};
  for (auto& node : graph.nodes) {
    if (!node->op) continue;
    const auto view = make_view(*node);
    try {
      infer_node(*node, *view, facts, options);
    } catch (const Error&) {
      // The rule of the node that owns the graph has seen this error and decided that the graph may not be run.
      if (!inner) throw;
      for (const ir::Value* value : node->outputs)
        if (value) facts.types[static_cast<size_t>(value->index)] = value->declared;
    }
    fold_subgraphs(*node, facts, options, fold);
    if (!fold) continue;
    bool done = std::all_of(node->outputs.begin(), node->outputs.end(),
                            [&](const ir::Value* value) { return !value || facts.constant(value); }) &&
                node->op->pure();
    if (!done && node->kernel && foldable(*node, facts, limits) && worthwhile(*node, facts)) {
      // Packing looks at constants of values; nothing to pack when they are about to be folded.
      ir::Node bare = *node;
      for (auto& input : bare.inputs) input = nullptr;
      try {
        const BoundKernel kernel(*node->kernel, view, bare);
        done = fold_node(*node, kernel, facts);
      } catch (const Error&) {
        done = false;
      }
    }
    if (done) {
      for (ir::Value* value : node->outputs)
        if (value) {
          value->constant = facts.constant(value);
          value->producer = nullptr;
        }
      node.reset();
    }
  }
  graph.nodes.erase(std::remove(graph.nodes.begin(), graph.nodes.end(), nullptr), graph.nodes.end());
  for (const auto& value : graph.values) {
    const auto slot = static_cast<size_t>(value->index);
    value->type = facts.types[slot];
    value->integers = facts.integers[slot];
    value->integers_scalar = facts.integers_scalar[slot];
  }
}

}  // namespace

void infer_and_fold(ir::Model& model, bool fold) {
  InferOptions options;
  options.symbols = &model.symbols;
  model.graph.renumber();
  Facts facts(model.graph);
  for (const ir::Value* input : model.graph.inputs) {
    ir::Type type = input->declared.known() ? input->declared : input->type;
    for (int64_t& dim : type.dims)
      if (ir::is_unknown(dim)) dim = model.symbols.fresh();
    facts.types[static_cast<size_t>(input->index)] = type;
  }
  fold_graph(model.graph, facts, options, fold, false);
}

}  // namespace opgraft::passes
