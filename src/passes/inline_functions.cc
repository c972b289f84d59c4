// Inlining of model-local functions, nested, with attribute references and defaults.
#include "passes/inline_functions.h"

#include "base/error.h"

namespace opgraft::passes {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxNodes = 1000000;

using Attributes = std::vector<ir::Attribute>;

class Inliner {
 public:
  Inliner(ir::Model& model, const Registry& registry) : model_(model), registry_(registry) {}

  void run(ir::Graph& graph, int depth) {
    std::vector<std::unique_ptr<ir::Node>> old;
    old.swap(graph.nodes);
    for (auto& node : old) place(graph, std::move(node), depth);
  }

 private:
  const ir::Function* find(const ir::Node& node) const {
    for (const auto& function : model_.functions)
      if (function.name == node.op_type && function.domain == node.domain && function.overload == node.overload) {
        const OpDef* op = registry_.find(node.domain, node.op_type);
        if (op && !op->kernels.empty()) return nullptr;
        return &function;
      }
    return nullptr;
  }

  void place(ir::Graph& graph, std::unique_ptr<ir::Node> node, int depth) {
    if (++count_ > kMaxNodes)
      throw Error(ErrorCode::kLimit, "inlining the model's functions gives more than 1000000 nodes");
    const ir::Function* function = find(*node);
    if (!function) {
      for (auto& attribute : node->attributes)
        for (auto& subgraph : attribute.graphs) run(*subgraph, depth);
      graph.nodes.push_back(std::move(node));
      return;
    }
    if (depth >= kMaxDepth)
      throw Error(ErrorCode::kInvalidModel,
                  node->describe() + ": functions are nested more than 64 deep (or call themselves)");
    expand(graph, *node, *function, depth);
  }

  void expand(ir::Graph& graph, const ir::Node& call, const ir::Function& function, int depth) {
    const ir::Graph& body = function.body;
    if (static_cast<size_t>(call.explicit_inputs()) > body.inputs.size() || call.outputs.size() > body.outputs.size())
      throw Error(ErrorCode::kInvalidModel,
                  call.describe() + ": the model's function has " + std::to_string(body.inputs.size()) +
                      " inputs and " + std::to_string(body.outputs.size()) + " outputs, the call has " +
                      std::to_string(call.explicit_inputs()) + " and " + std::to_string(call.outputs.size()));
    std::map<const ir::Value*, ir::Value*> map;
    auto copy = ir::clone(body, &map);
    const std::string prefix = (call.name.empty() ? call.op_type : call.name) + "/";
    // Formal inputs become the actual ones.
    std::map<const ir::Value*, ir::Value*> replaced;
    for (size_t i = 0; i < body.inputs.size(); ++i)
      replaced[copy->inputs[i]] = i < static_cast<size_t>(call.explicit_inputs()) ? call.inputs[i] : nullptr;
    std::vector<std::pair<ir::Value*, ir::Value*>> forwards;  // output that is an input, or the same value twice
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      ir::Value* inner = copy->outputs[i];
      if (!call.outputs[i]) continue;
      if (replaced.count(inner) || !inner->producer)
        forwards.emplace_back(call.outputs[i], inner);
      else
        replaced[inner] = call.outputs[i];
    }
    const auto translate = [&](ir::Value* value) {
      const auto found = replaced.find(value);
      return found == replaced.end() ? value : found->second;
    };
    for (auto& value : copy->values) value->name = prefix + value->name;
    for (auto& node : copy->nodes) {
      node->name = prefix + node->name;
      node->path = call.path + " (in function " + (function.domain.empty() ? "" : function.domain + "::") +
                   function.name + " called by \"" + call.name + "\")";
      for (auto& input : node->inputs) input = translate(input);
      for (auto& output : node->outputs) {
        output = translate(output);
        if (output) output->producer = node.get();
      }
      bind_attributes(*node, call, function);
    }
    for (auto& value : copy->values)
      if (!replaced.count(value.get())) graph.values.push_back(std::move(value));
    auto nodes = std::move(copy->nodes);
    for (auto& node : nodes) place(graph, std::move(node), depth + 1);
    for (const auto& [outer, inner] : forwards) {
      auto identity = std::make_unique<ir::Node>();
      identity->op_type = "Identity";
      identity->version = OG_ABI_OPSET;
      identity->name = prefix + "output";
      identity->path = call.path;
      identity->inputs = {translate(inner)};
      identity->outputs = {outer};
      outer->producer = identity.get();
      graph.nodes.push_back(std::move(identity));
    }
    for (auto& value : copy->values)
      if (value) graveyard_.push_back(std::move(value));
  }

  // References to the caller's attributes get its values, or the function's defaults, or go away.
  void bind_attributes(ir::Node& node, const ir::Node& call, const ir::Function& function) {
    Attributes bound;
    for (auto& attribute : node.attributes) {
      if (!attribute.reference.empty()) {
        const ir::Attribute* source = call.find(attribute.reference);
        if (!source)
          for (const auto& candidate : function.defaults)
            if (candidate.name == attribute.reference) source = &candidate;
        if (!source) continue;
        ir::Attribute value = *source;
        value.name = attribute.name;
        bound.push_back(std::move(value));
        continue;
      }
      for (auto& subgraph : attribute.graphs)
        for (auto& inner : subgraph->nodes) bind_attributes(*inner, call, function);
      bound.push_back(std::move(attribute));
    }
    node.attributes = std::move(bound);
  }

  ir::Model& model_;
  const Registry& registry_;
  size_t count_ = 0;
  std::vector<std::unique_ptr<ir::Value>> graveyard_;  // replaced formals, kept until no map refers to them
};

}  // namespace

void inline_functions(ir::Model& model, const Registry& registry) {
  if (model.functions.empty()) return;
  Inliner inliner(model, registry);
  inliner.run(model.graph, 0);
  model.graph.drop_unused_values();
}

}  // namespace opgraft::passes
