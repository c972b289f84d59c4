// The graph builder given to bodies, import rules, version rules, lowerings and pattern replacements.
#ifndef OPGRAFT_PASSES_BUILDER_H_
#define OPGRAFT_PASSES_BUILDER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "registry/contexts.h"

namespace opgraft::passes {

class GraphBuilder : public og_graph {
 public:
  // New values go into `graph`. `inputs` and `outputs` are those that the rule may name: by the formal names of
  // `signature` (may be null), by `input_names`/`output_names` (patterns; may be empty), or by position.
  GraphBuilder(ir::Graph& graph, const ir::Node& source, const Signature* signature);
  GraphBuilder(ir::Graph& graph, const ir::Node& source, std::vector<ir::Value*> inputs,
               std::vector<std::string> input_names, std::vector<ir::Value*> outputs,
               std::vector<std::string> output_names);

  ~GraphBuilder() override;

  // Calls the rule. True = built; false = not for these types. Throws Error with the source's description.
  bool build(const Callback<og_graph_fn>& rule, const std::string& what);
  // The new nodes, in order. Each carries the opset version it was written for.
  std::vector<std::unique_ptr<ir::Node>> take_nodes() { return std::move(nodes_); }

  const og_node* node() override { return &view_; }
  bool input_type(int index, og_type* out) override;
  bool input_value(int index, og_value* out) override;
  bool has_output(int index) override;
  void set_opset(const std::string& domain, int version) override { opsets_[domain] = version; }
  og_new_node* add(const char* domain, const char* op_type, const char* const* inputs, int input_count,
                   const char* const* outputs, int output_count) override;
  void constant(const char* name, std::shared_ptr<const ir::Tensor> tensor) override;

 private:
  struct NewNode;
  ir::Value* resolve_input(const std::string& name);
  ir::Value* resolve_output(const std::string& name);
  void finish();

  ir::Graph& graph_;
  const ir::Node& source_;
  og_node view_;
  std::vector<ir::Value*> inputs_;
  std::vector<ir::Value*> outputs_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::map<std::string, ir::Value*> local_;
  std::map<std::string, int> opsets_;
  std::vector<std::unique_ptr<ir::Node>> nodes_;
  std::vector<std::unique_ptr<NewNode>> handles_;
  std::vector<std::unique_ptr<og_type>> nested_;
};

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_BUILDER_H_
