// Names of values while a graph is read, and how subgraphs reach the values of outer graphs.
#ifndef OPGRAFT_FORMATS_ONNX_SCOPE_H_
#define OPGRAFT_FORMATS_ONNX_SCOPE_H_

#include <limits>
#include <map>
#include <string_view>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {

// Position among the nodes of a graph: what is there before any node, and where all is defined.
constexpr int kBeforeNodes = -1;
constexpr int kAfterNodes = std::numeric_limits<int>::max();

// Outer values that the subgraphs of one node use, with their index among the node's captures.
using NodeCaptures = std::map<const ir::Value*, int>;

// Ordered maps rather than hashed ones, so that no choice of names makes reading slow.
class Scope {
 public:
  Scope(Context& context, ir::Graph& graph, Scope* parent, ir::Node* owner, NodeCaptures* node_captures)
      : context_(context), graph_(graph), parent_(parent), owner_(owner), node_captures_(node_captures) {}

  // A new value: an input, an initializer, or an output of the node at `position`. Throws Error, with both definitions,
  // when the name is taken.
  ir::Value* define_input(std::string_view name);
  ir::Value* define_initializer(std::string_view name);
  ir::Value* define_output(std::string_view name, int position, ir::Node* producer);
  // The value of this graph alone with that name, or null.
  ir::Value* own(std::string_view name) const;
  // What the name means at `position` in this graph, captured from outer graphs when need be. Null when it is unknown.
  ir::Value* resolve(std::string_view name);

  void set_position(int position) { position_ = position; }
  // A value was used before its definition.
  bool out_of_order() const { return out_of_order_; }
  // Some definitions could not be read, here or outside: unknown names are no news then.
  bool incomplete() const { return incomplete_ || (parent_ && parent_->incomplete()); }
  void set_incomplete() { incomplete_ = true; }
  ir::Graph& graph() { return graph_; }

 private:
  struct Definition {
    ir::Value* value = nullptr;
    int position = kBeforeNodes;
  };
  ir::Value* define(std::string_view name, int position, const char* what, const ir::Node* producer);
  ir::Value* find(std::string_view name, bool defined_later);
  ir::Value* capture(std::string_view name, ir::Value* outer);

  Context& context_;
  ir::Graph& graph_;
  Scope* parent_;
  ir::Node* owner_;
  NodeCaptures* node_captures_;
  int position_ = kBeforeNodes;
  bool out_of_order_ = false;
  bool incomplete_ = false;
  std::map<std::string_view, Definition> names_;
  std::map<std::string_view, ir::Value*> captured_;
};

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_SCOPE_H_
