// Reads GraphProto and the bodies of FunctionProto: values, nodes, subgraphs.
#ifndef OPGRAFT_FORMATS_ONNX_GRAPH_READER_H_
#define OPGRAFT_FORMATS_ONNX_GRAPH_READER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx/context.h"
#include "formats/onnx/scope.h"
#include "formats/onnx/type_reader.h"

namespace opgraft::formats::onnx {

// The pieces of a graph or of a function's body, in the order of the file.
struct GraphParts {
  std::string_view name;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<std::string_view> value_infos, nodes, initializers, sparse_initializers;
};

// Bad entries become problems of the context.
GraphParts split_graph(Context& context, std::string_view bytes, const std::string& path);

class GraphReader {
 public:
  // Versions of domains: `opsets`, then `fallback` (may be null).
  GraphReader(Context& context, const std::map<std::string, int>& opsets, const std::map<std::string, int>* fallback,
              bool in_function)
      : context_(context), opsets_(opsets), fallback_(fallback), in_function_(in_function) {}

  // Problems go to the context; the graph is whole only when there are none.
  void read(const GraphParts& parts, ir::Graph* graph, const std::string& path);

 private:
  // What a node says before names are resolved.
  struct RawNode {
    ir::Node* node = nullptr;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> attributes;
  };
  void build(const GraphParts& parts, Scope& scope, const std::string& path, int depth);
  void read_inputs(const GraphParts& parts, Scope& scope, const std::string& path);
  void read_initializers(const GraphParts& parts, Scope& scope, const std::string& path);
  void read_node(std::string_view bytes, int index, Scope& scope, RawNode* raw);
  void read_declared(const GraphParts& parts, Scope& scope, const std::string& path);
  void connect(const RawNode& raw, Scope& scope, int depth);
  void read_outputs(const GraphParts& parts, Scope& scope, const std::string& path);
  std::shared_ptr<ir::Graph> read_subgraph(std::string_view bytes, const std::string& label, Scope& scope,
                                           ir::Node* owner, NodeCaptures* captures, int depth);
  int version_of(const std::string& domain) const;

  Context& context_;
  const std::map<std::string, int>& opsets_;
  const std::map<std::string, int>* fallback_;
  bool in_function_;
};

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_GRAPH_READER_H_
