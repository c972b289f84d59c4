// Type and shape inference of a graph, with the values of small integer tensors; used at load with symbols and, with
// concrete dims, whenever a plan is made.
#ifndef OPGRAFT_PASSES_INFER_H_
#define OPGRAFT_PASSES_INFER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "registry/contexts.h"

namespace opgraft::passes {

// What is known of the values of one graph, by Value::index.
struct Facts {
  std::vector<ir::Type> types;
  std::vector<std::shared_ptr<const ir::Tensor>> constants;
  std::vector<std::optional<std::vector<int64_t>>> integers;  // with symbols
  std::vector<char> integers_scalar;

  explicit Facts(const ir::Graph& graph);
  const ir::Type& type(const ir::Value* value) const { return types[static_cast<size_t>(value->index)]; }
  const std::shared_ptr<const ir::Tensor>& constant(const ir::Value* value) const {
    return constants[static_cast<size_t>(value->index)];
  }
};

struct InferOptions {
  ir::Symbols* symbols = nullptr;  // null: dims are numbers or unknown
  bool use_declared = true;        // merge with what the file says
  bool require_inputs = false;
};

// Runs the operator's inference for one node and stores what it says. Throws Error with the node's description.
void infer_node(const ir::Node& node, const og_node& view, Facts& facts, const InferOptions& options);

// The same through the operator's body. False when it has none, or none for these types.
bool infer_from_body(const ir::Node& node, Facts& facts, const InferOptions& options);

// Infers a whole graph in order; graph inputs and captures must be set in `facts` already.
void infer_graph(const ir::Graph& graph, Facts& facts, const InferOptions& options);

// The pass: infers the model's graph and its subgraphs and stores types in the values. All problems in one Error.
void infer(ir::Model& model);

// The view of a node, made once (nodes are immutable while views of them live).
std::shared_ptr<const og_node> make_view(const ir::Node& node);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_INFER_H_
