// A program: one graph ready to be planned, with bound kernels and the programs of its subgraphs. Immutable.
#ifndef OPGRAFT_RUNTIME_PROGRAM_H_
#define OPGRAFT_RUNTIME_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "exec/kernel.h"
#include "ir/graph.h"

namespace opgraft {

struct Program;

struct StepDef {
  const ir::Node* node = nullptr;
  std::shared_ptr<const og_node> view;
  std::unique_ptr<BoundKernel> kernel;
  std::vector<std::pair<std::string, std::unique_ptr<Program>>> subgraphs;  // by attribute
  int resource = -1;                                                        // index among the session's resources
};

struct Program {
  const ir::Graph* graph = nullptr;
  std::vector<StepDef> steps;
  std::vector<int> last_use;  // by Value::index: last step that reads it; INT_MAX for graph outputs; -1 = never
  std::vector<int> producer;  // by Value::index: the step that makes it; -1 = none
  int id = 0;                 // index among the model's programs

  const ir::Value* value(int index) const { return graph->values[static_cast<size_t>(index)].get(); }
};

struct ProgramBuilder {
  int program_count = 0;
  std::vector<const StepDef*> resources;  // steps with session resources
  uint64_t packed_bytes = 0;
  // Binds kernels (packing weights) for a placed graph.
  std::unique_ptr<Program> build(const ir::Graph& graph);
};

}  // namespace opgraft
#endif  // OPGRAFT_RUNTIME_PROGRAM_H_
