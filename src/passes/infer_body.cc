// Inference through an operator's function body, for operators that have no rule of their own.
#include <map>

#include "base/error.h"
#include "passes/builder.h"
#include "passes/import.h"
#include "passes/infer.h"
#include "registry/registry.h"

namespace opgraft::passes {
namespace {

constexpr int kMaxDepth = 64;  // bodies within bodies

struct Depth {
  Depth() { ++current(); }
  ~Depth() { --current(); }
  static int& current() {
    thread_local int depth = 0;
    return depth;
  }
};

}  // namespace

bool infer_from_body(const ir::Node& node, Facts& facts, const InferOptions& options) {
  if (!node.op->body || node.capture_count) return false;
  const Depth depth;
  if (Depth::current() > kMaxDepth)
    throw Error(ErrorCode::kPlugin, "operator bodies expand without end (more than 64 levels)");
  ir::Graph graph;
  ir::Node call = node;
  std::map<const ir::Value*, ir::Value*> inner;
  for (auto& input : call.inputs) {
    if (!input) continue;
    ir::Value*& stand_in = inner[input];
    if (!stand_in) {
      const auto slot = static_cast<size_t>(input->index);
      stand_in = graph.add_value(input->name);
      stand_in->type = facts.types[slot];
      stand_in->constant = facts.constants[slot];
      stand_in->integers = facts.integers[slot];
      stand_in->integers_scalar = facts.integers_scalar[slot];
      graph.inputs.push_back(stand_in);
    }
    input = stand_in;
  }
  for (auto& output : call.outputs)
    if (output) graph.outputs.push_back(output = graph.add_value(output->name));
  GraphBuilder builder(graph, call, &node.op->signature);
  if (!builder.build(node.op->body, "the body of the operator (plug-in \"" + node.op->plugin + "\")")) return false;
  import_nodes(graph, builder.take_nodes(), *Registry::current(), "", &graph.nodes);
  graph.renumber();
  Facts found(graph);
  for (const ir::Value* input : graph.inputs) {
    const auto slot = static_cast<size_t>(input->index);
    found.types[slot] = input->type;
    found.integers[slot] = input->integers;
    found.integers_scalar[slot] = input->integers_scalar;
  }
  InferOptions inside = options;
  inside.use_declared = false;
  infer_graph(graph, found, inside);
  size_t position = 0;
  for (const ir::Value* output : node.outputs) {
    if (!output) continue;
    const auto from = static_cast<size_t>(graph.outputs[position++]->index), to = static_cast<size_t>(output->index);
    facts.types[to] = found.types[from];
    facts.integers[to] = found.integers[from];
    facts.integers_scalar[to] = found.integers_scalar[from];
  }
  return true;
}

}  // namespace opgraft::passes
