// Graphs of an ONNX file: values first, then nodes with their names resolved.
#include "formats/onnx/graph_reader.h"

#include <set>

#include "formats/onnx/attribute_reader.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/order.h"
#include "formats/onnx/tensor_reader.h"

namespace opgraft::formats::onnx {
namespace {

using protobuf::as_bytes;

// As "graph: node "n" (Foo)".
std::string describe(const ir::Node& node) {
  std::string text = node.path + ": node " + quote(node.name);
  if (node.op_type.empty()) return text;
  const std::string type = quote((node.domain.empty() ? "" : node.domain + "::") + node.op_type);
  return text + " (" + type.substr(1, type.size() - 2) + ")";
}

void add(Context& context, std::vector<std::string_view>* views, std::string_view bytes) {
  context.spend(sizeof(bytes));
  views->push_back(bytes);
}

}  // namespace

GraphParts split_graph(Context& context, std::string_view bytes, const std::string& path) {
  GraphParts parts;
  const auto add_value = [&](std::vector<ValueInfo>* values, std::string_view info) {
    context.spend(sizeof(ValueInfo));
    try {
      values->push_back(read_value_info(context, info));
    } catch (const Error& error) {
      context.problem(path, error);
    }
  };
  Message message = context.message(bytes);
  try {
    while (const uint32_t label = message.next()) {
      switch (label) {
        case as_bytes(GraphProto::kName):
          parts.name = message.bytes();
          break;
        case as_bytes(GraphProto::kNode):
          add(context, &parts.nodes, message.bytes());
          break;
        case as_bytes(GraphProto::kInitializer):
          add(context, &parts.initializers, message.bytes());
          break;
        case as_bytes(GraphProto::kSparseInitializer):
          add(context, &parts.sparse_initializers, message.bytes());
          break;
        case as_bytes(GraphProto::kInput):
          add_value(&parts.inputs, message.bytes());
          break;
        case as_bytes(GraphProto::kOutput):
          add_value(&parts.outputs, message.bytes());
          break;
        case as_bytes(GraphProto::kValueInfo):
          add(context, &parts.value_infos, message.bytes());
          break;
        default:
          message.skip();
      }
    }
  } catch (const Error& error) {
    throw Error(error.code(), path + ": " + error.what());
  }
  return parts;
}

void GraphReader::read(const GraphParts& parts, ir::Graph* graph, const std::string& path) {
  Scope scope(context_, *graph, nullptr, nullptr, nullptr);
  build(parts, scope, path, 0);
}

void GraphReader::build(const GraphParts& parts, Scope& scope, const std::string& path, int depth) {
  ir::Graph& graph = scope.graph();
  graph.name = to_utf8(parts.name);
  context_.spend(graph.name.size() + 96 * opsets_.size());
  graph.opsets = opsets_;
  read_inputs(parts, scope, path);
  read_initializers(parts, scope, path);
  context_.spend_nodes(parts.nodes.size());
  context_.spend(parts.nodes.size() * (sizeof(ir::Node) + sizeof(RawNode) + 2 * path.size()));
  std::vector<RawNode> raw(parts.nodes.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    raw[i].node = graph.add_node();
    raw[i].node->path = path;
    raw[i].node->name = "#" + std::to_string(i);
    try {
      read_node(parts.nodes[i], static_cast<int>(i), scope, &raw[i]);
    } catch (const Error& error) {
      scope.set_incomplete();
      context_.problem(describe(*raw[i].node), error);
    }
  }
  read_declared(parts, scope, path);
  for (size_t i = 0; i < raw.size(); ++i) {
    scope.set_position(static_cast<int>(i));
    connect(raw[i], scope, depth);
  }
  scope.set_position(kAfterNodes);
  read_outputs(parts, scope, path);
  if (!scope.out_of_order() || context_.has_problems()) return;
  try {
    sort_nodes(graph);
  } catch (const Error& error) {
    context_.problem(path, error);
  }
}

void GraphReader::read_inputs(const GraphParts& parts, Scope& scope, const std::string& path) {
  for (const auto& input : parts.inputs) {
    try {
      if (input.name.empty()) invalid("a graph input has no name");
      ir::Value* value = scope.define_input(input.name);
      value->type = value->declared = input.type;
      scope.graph().inputs.push_back(value);
    } catch (const Error& error) {
      context_.problem(path, error);
    }
  }
}

void GraphReader::read_initializers(const GraphParts& parts, Scope& scope, const std::string& path) {
  const auto add_one = [&](std::string_view bytes, bool sparse) {
    try {
      const NamedTensor found = sparse ? read_sparse_tensor(context_, bytes) : read_tensor(context_, bytes);
      if (found.name.empty())
        invalid("the initializer at byte " + std::to_string(bytes.data() - context_.origin) + " has no name");
      ir::Value* value = scope.own(found.name);
      if (value && value->is_input && !value->constant) {
        if (value->declared.known())
          ir::merge(value->declared, found.tensor->type(), nullptr,
                    "graph input " + quote(found.name) + " and the initializer of that name");
        else
          value->type = value->declared = found.tensor->type();
      } else {
        value = scope.define_initializer(found.name);
        value->type = found.tensor->type();
      }
      value->constant = found.tensor;
    } catch (const Error& error) {
      scope.set_incomplete();
      context_.problem(path, error);
    }
  };
  for (const auto bytes : parts.initializers) add_one(bytes, false);
  for (const auto bytes : parts.sparse_initializers) add_one(bytes, true);
}

void GraphReader::read_node(std::string_view bytes, int index, Scope& scope, RawNode* raw) {
  ir::Node& node = *raw->node;
  Message message = context_.message(bytes);
  std::vector<std::string_view> outputs;
  std::string_view name, op_type, domain, overload;
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_bytes(NodeProto::kInput):
        add(context_, &raw->inputs, message.bytes());
        break;
      case as_bytes(NodeProto::kOutput):
        add(context_, &outputs, message.bytes());
        break;
      case as_bytes(NodeProto::kName):
        name = message.bytes();
        break;
      case as_bytes(NodeProto::kOpType):
        op_type = message.bytes();
        break;
      case as_bytes(NodeProto::kDomain):
        domain = message.bytes();
        break;
      case as_bytes(NodeProto::kOverload):
        overload = message.bytes();
        break;
      case as_bytes(NodeProto::kAttribute):
        add(context_, &raw->attributes, message.bytes());
        break;
      default:
        message.skip();
    }
  }
  context_.spend(name.size() + op_type.size() + domain.size() + overload.size() + 2 * sizeof(void*) * outputs.size());
  if (!name.empty()) node.name = checked_name(name, "node name");
  if (op_type.empty()) invalid("it has no operator (op_type)");
  node.op_type = checked_name(op_type, "operator");
  if (name.empty()) node.name = node.op_type + node.name;
  node.domain = canonical_domain(domain);
  node.overload = checked_name(overload, "overload");
  node.version = version_of(node.domain);
  for (const auto output : outputs)
    node.outputs.push_back(output.empty() ? nullptr : scope.define_output(output, index, &node));
}

void GraphReader::read_declared(const GraphParts& parts, Scope& scope, const std::string& path) {
  for (const auto bytes : parts.value_infos) {
    try {
      const ValueInfo info = read_value_info(context_, bytes);
      ir::Value* value = scope.own(info.name);
      if (value && !value->constant && !value->declared.known()) value->type = value->declared = info.type;
    } catch (const Error& error) {
      context_.problem(path, error);
    }
  }
  for (const auto& output : parts.outputs) {
    ir::Value* value = scope.own(output.name);
    if (!value || !output.type.known() || (value->constant && !value->is_input)) continue;
    try {
      value->declared = value->is_input ? ir::merge(value->declared, output.type, nullptr,
                                                    "graph input " + quote(output.name) + ", also an output")
                                        : output.type;
      value->type = value->declared;
    } catch (const Error& error) {
      context_.problem(path, error);
    }
  }
}

void GraphReader::connect(const RawNode& raw, Scope& scope, int depth) {
  ir::Node& node = *raw.node;
  for (size_t i = 0; i < raw.inputs.size(); ++i) {
    const auto name = raw.inputs[i];
    ir::Value* value = name.empty() ? nullptr : scope.resolve(name);
    if (!value && !name.empty() && !scope.incomplete())
      context_.problem(describe(node) + ": input " + std::to_string(i) + " is " + quote(name) +
                       ", and nothing in the graph or around it has that name (no input, initializer or output of a "
                       "node); check the export or add what is missing");
    context_.spend(2 * sizeof(value));
    node.inputs.push_back(value);
  }
  NodeCaptures captures;
  std::set<std::string> names;
  for (const auto bytes : raw.attributes) {
    try {
      node.attributes.push_back(
          read_attribute(context_, bytes, in_function_, [&](std::string_view graph, const std::string& label) {
            return read_subgraph(graph, label, scope, &node, &captures, depth);
          }));
      if (!names.insert(node.attributes.back().name).second)
        invalid("attribute " + quote(node.attributes.back().name) + " is given twice");
    } catch (const Error& error) {
      context_.problem(describe(node), error);
    }
  }
}

void GraphReader::read_outputs(const GraphParts& parts, Scope& scope, const std::string& path) {
  for (const auto& output : parts.outputs) {
    ir::Value* value = output.name.empty() ? nullptr : scope.resolve(output.name);
    if (!value && !scope.incomplete())
      context_.problem(path + ": graph output " + quote(output.name) +
                       " is not produced by any node, and is no input or initializer");
    if (value) scope.graph().outputs.push_back(value);
  }
}

std::shared_ptr<ir::Graph> GraphReader::read_subgraph(std::string_view bytes, const std::string& label, Scope& scope,
                                                      ir::Node* owner, NodeCaptures* captures, int depth) {
  if (depth + 1 > context_.limits.max_depth)
    throw Error(ErrorCode::kLimit, "graphs are nested more than " + std::to_string(context_.limits.max_depth) +
                                       " deep; if the file is trusted, raise the limit on nesting");
  context_.spend(sizeof(ir::Graph));
  auto graph = std::make_shared<ir::Graph>();
  const std::string path = owner->path + "/" + path_segment(owner->name) + "/" + path_segment(label);
  Scope inner(context_, *graph, &scope, owner, captures);
  build(split_graph(context_, bytes, path), inner, path, depth + 1);
  return graph;
}

int GraphReader::version_of(const std::string& domain) const {
  const auto found = opsets_.find(domain);
  if (found != opsets_.end()) return found->second;
  if (!fallback_) return 0;
  const auto other = fallback_->find(domain);
  return other == fallback_->end() ? 0 : other->second;
}

}  // namespace opgraft::formats::onnx
