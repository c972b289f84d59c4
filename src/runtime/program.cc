// Binding kernels and computing uses.
#include "runtime/program.h"

#include <climits>

#include "base/error.h"
#include "passes/infer.h"

namespace opgraft {

std::unique_ptr<Program> ProgramBuilder::build(const ir::Graph& graph) {
  auto program = std::make_unique<Program>();
  program->graph = &graph;
  program->id = program_count++;
  program->last_use.assign(graph.values.size(), -1);
  program->producer.assign(graph.values.size(), -1);
  program->steps.resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = *graph.nodes[i];
    StepDef& step = program->steps[i];
    step.node = &node;
    step.view = passes::make_view(node);
    if (!node.kernel) throw Error(ErrorCode::kInternal, node.describe() + ": not placed");
    step.kernel = std::make_unique<BoundKernel>(*node.kernel, step.view, node);
    packed_bytes += step.kernel->packed_bytes();
    for (const auto& attribute : node.attributes)
      if (attribute.kind == OG_ATTR_GRAPH) step.subgraphs.emplace_back(attribute.name, build(*attribute.graphs[0]));
    if (node.op->has_resource) {
      step.resource = static_cast<int>(resources.size());
      resources.push_back(&step);
    }
    for (const ir::Value* value : node.outputs)
      if (value) program->producer[static_cast<size_t>(value->index)] = static_cast<int>(i);
    for (const ir::Value* value : node.inputs)
      if (value) program->last_use[static_cast<size_t>(value->index)] = static_cast<int>(i);
  }
  for (const ir::Value* value : graph.outputs) program->last_use[static_cast<size_t>(value->index)] = INT_MAX;
  return program;
}

}  // namespace opgraft
