// The intermediate representation: models, graphs, nodes, values, attributes.
//
// A reader fills it with foreign nodes (operators of the file's format and opset); import turns them into canonical
// nodes; passes rewrite it. Values are single-assignment. Nodes are kept in topological order. Not thread-safe while it
// is being changed; shared read-only afterwards.
#ifndef OPGRAFT_IR_GRAPH_H_
#define OPGRAFT_IR_GRAPH_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/symbols.h"
#include "ir/tensor.h"
#include "ir/type.h"

namespace opgraft {
struct OpDef;
struct KernelDef;
}  // namespace opgraft

namespace opgraft::ir {

struct Graph;
struct Node;

struct Value {
  std::string name;
  int index = 0;  // in Graph::values, after renumber()
  Type type;
  Type declared;                                 // what the file says of it
  std::shared_ptr<const Tensor> constant;        // contents, when constant
  std::optional<std::vector<int64_t>> integers;  // integer contents with symbols (rank 0 or 1), when known
  bool integers_scalar = false;
  Node* producer = nullptr;  // null: graph input, constant, or capture
  bool is_input = false;
  bool is_capture = false;
};

struct Attribute {
  std::string name;
  int32_t kind = OG_ATTR_NONE;  // og_attr_kind
  std::vector<int64_t> ints;    // INT, INTS
  std::vector<float> floats;    // FLOAT, FLOATS
  std::vector<std::string> strings;
  std::vector<std::shared_ptr<const Tensor>> tensors;
  std::vector<std::shared_ptr<Graph>> graphs;
  std::vector<Type> types;
  std::string reference;  // inside a function: the name of the caller's attribute that is meant
};

struct Node {
  std::string name;
  std::string op_type;
  std::string domain;    // "" is the standard domain
  std::string overload;  // of a model-local function
  std::vector<Attribute> attributes;
  std::vector<Value*> inputs;   // null = omitted; captured outer values of subgraphs follow the explicit ones
  std::vector<Value*> outputs;  // null = unused
  int capture_count = 0;        // how many of `inputs`, at the end, are captures
  int version = 0;              // opset version of the domain in the file; after import since_version of the operator
  const OpDef* op = nullptr;    // after import
  const KernelDef* kernel = nullptr;  // after placement
  std::string path;                   // where it stands, for errors: "graph", "graph/n7/then_branch", "function f"

  int explicit_inputs() const { return static_cast<int>(inputs.size()) - capture_count; }
  const Attribute* find(const std::string& attribute) const;
  // "node "n3" (com.examples::Foo)"
  std::string describe() const;
};

// A value of an outer graph used in this one: `inner` stands for the owner node's capture at `index`.
struct Capture {
  Value* inner = nullptr;
  int index = 0;
};

struct Graph {
  std::string name;
  std::vector<std::unique_ptr<Value>> values;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<Value*> inputs;
  std::vector<Value*> outputs;
  std::vector<Capture> captures;
  std::map<std::string, int> opsets;  // domain -> version in force here

  Value* add_value(std::string name);
  Node* add_node();
  // Removes values that nothing refers to any more; sets Value::index.
  void drop_unused_values();
  void renumber();  // of the graphs in attributes too
  // How many node inputs and graph outputs refer to each value.
  std::map<const Value*, int> use_counts() const;
};

// A function that a model brings along.
struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> attributes;  // without default
  std::vector<Attribute> defaults;
  Graph body;  // its inputs and outputs in order; attributes may be references
};

struct Model {
  std::string format;  // "onnx"
  std::string source;  // path, or "bytes"
  int64_t ir_version = 0;
  std::string producer_name;
  std::string producer_version;
  std::string domain;
  std::string graph_name;
  std::string doc;
  int64_t model_version = 0;
  std::map<std::string, std::string> metadata;
  Graph graph;
  std::vector<Function> functions;
  Symbols symbols;
  std::vector<std::shared_ptr<const void>> owners;  // mapped files that constants point into
};

// Calls fn for every node of the graph and, depth first, of the graphs in its attributes.
void for_each_node(Graph& graph, const std::function<void(Graph&, Node&)>& fn);
// A deep copy; the map, when wanted, tells which new value stands for each old one.
std::shared_ptr<Graph> clone(const Graph& graph, std::map<const Value*, Value*>* value_map = nullptr);

// Text form of a graph, one node a line; for people, tests and `opgraft info`.
std::string print(const Graph& graph, const Symbols* symbols = nullptr);

}  // namespace opgraft::ir
#endif  // OPGRAFT_IR_GRAPH_H_
