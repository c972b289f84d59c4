// Resolving names and collecting nodes of a rule.
#include "passes/builder.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace opgraft::passes {
namespace {

// Formal names for the arguments of a node; variadic ones continue as name0, name1, ... and by position.
std::vector<std::string> formal_names(const std::vector<ArgDef>& args, size_t count) {
  std::vector<std::string> names(count);
  for (size_t i = 0; i < count; ++i) {
    if (i < args.size()) names[i] = args[i].name;
    if (!args.empty() && args.back().variadic() && i + 1 >= args.size())
      names[i] = args.back().name + std::to_string(i + 1 - args.size());
  }
  return names;
}

bool position(const std::string& name, size_t* index) {
  if (name.empty() || name.size() > 6 ||
      !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  *index = std::stoul(name);
  return true;
}

}  // namespace

struct GraphBuilder::NewNode : og_new_node {
  ir::Node* node = nullptr;
  const ir::Node* source = nullptr;

  void attr(ir::Attribute attribute) override { node->attributes.push_back(std::move(attribute)); }
  void attr_from(const char* from, const char* name) override {
    const ir::Attribute* attribute = source->find(from);
    if (!attribute) return;
    if (!attribute->graphs.empty() && node->capture_count == 0) {  // its outer values come along
      node->inputs.insert(node->inputs.end(), source->inputs.end() - source->capture_count, source->inputs.end());
      node->capture_count = source->capture_count;
    }
    node->attributes.push_back(*attribute);
    for (auto& subgraph : node->attributes.back().graphs) subgraph = ir::clone(*subgraph);
    node->attributes.back().name = name;
  }
};

GraphBuilder::GraphBuilder(ir::Graph& graph, const ir::Node& source, const Signature* signature)
    : graph_(graph),
      source_(source),
      view_(source, signature),
      inputs_(source.inputs.begin(), source.inputs.begin() + source.explicit_inputs()),
      outputs_(source.outputs) {
  if (signature) {
    input_names_ = formal_names(signature->inputs, inputs_.size());
    output_names_ = formal_names(signature->outputs, outputs_.size());
  }
}

GraphBuilder::GraphBuilder(ir::Graph& graph, const ir::Node& source, std::vector<ir::Value*> inputs,
                           std::vector<std::string> input_names, std::vector<ir::Value*> outputs,
                           std::vector<std::string> output_names)
    : graph_(graph),
      source_(source),
      view_(source, nullptr),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      input_names_(std::move(input_names)),
      output_names_(std::move(output_names)) {}

GraphBuilder::~GraphBuilder() = default;

bool GraphBuilder::build(const Callback<og_graph_fn>& rule, const std::string& what) {
  take_error();
  const int32_t status = rule.fn(rule.user, this);
  if (status == OG_NOT_YET) return false;
  if (status != 0) {
    const std::string text = take_error();
    throw Error(ErrorCode::kInvalidModel,
                source_.describe() + ": " + what + " failed: " + (text.empty() ? "no reason given" : text));
  }
  finish();
  return true;
}

void GraphBuilder::finish() {
  std::set<const ir::Value*> made;
  for (const auto& node : nodes_) made.insert(node->outputs.begin(), node->outputs.end());
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] && !made.count(outputs_[i]))
      throw Error(ErrorCode::kPlugin, source_.describe() + ": the graph that replaces it does not give output " +
                                          std::to_string(i) + " (\"" + outputs_[i]->name + "\")");
}

bool GraphBuilder::input_type(int index, og_type* out) {
  if (index < 0 || index >= static_cast<int>(inputs_.size()) || !inputs_[static_cast<size_t>(index)]) return false;
  *out = ir::to_abi(inputs_[static_cast<size_t>(index)]->type, &nested_);
  if (out->kind == OG_ABSENT) out->ndim = -1;
  return true;
}

bool GraphBuilder::input_value(int index, og_value* out) {
  if (index < 0 || index >= static_cast<int>(inputs_.size())) return false;
  const ir::Value* value = inputs_[static_cast<size_t>(index)];
  if (!value || !value->constant || value->is_input) return false;
  *out = ir::to_abi(*value->constant);
  return true;
}

bool GraphBuilder::has_output(int index) {
  return index >= 0 && index < static_cast<int>(outputs_.size()) && outputs_[static_cast<size_t>(index)];
}

ir::Value* GraphBuilder::resolve_input(const std::string& name) {
  if (name.empty()) return nullptr;
  const auto found = local_.find(name);
  if (found != local_.end()) return found->second;
  for (size_t i = 0; i < input_names_.size() && i < inputs_.size(); ++i)
    if (input_names_[i] == name) return inputs_[i];
  size_t index = 0;
  if (position(name, &index)) return index < inputs_.size() ? inputs_[index] : nullptr;
  // A formal name beyond the arguments given is an omitted one; anything else is a mistake in the rule.
  for (size_t i = inputs_.size(); i < input_names_.size(); ++i)
    if (input_names_[i] == name) return nullptr;
  return nullptr;
}

ir::Value* GraphBuilder::resolve_output(const std::string& name) {
  if (name.empty()) return nullptr;
  ir::Value* value = nullptr;
  size_t index = outputs_.size();
  for (size_t i = 0; i < output_names_.size() && i < outputs_.size(); ++i)
    if (output_names_[i] == name) index = i;
  if (index == outputs_.size() && !position(name, &index)) index = outputs_.size();
  if (index < outputs_.size()) value = outputs_[index];
  if (!value) value = graph_.add_value((source_.name.empty() ? source_.op_type : source_.name) + "/" + name);
  local_[name] = value;
  return value;
}

og_new_node* GraphBuilder::add(const char* domain, const char* op_type, const char* const* inputs, int input_count,
                               const char* const* outputs, int output_count) {
  auto node = std::make_unique<ir::Node>();
  node->op_type = op_type;
  node->domain = std::string(domain) == "ai.onnx" ? "" : domain;
  const auto opset = opsets_.find(node->domain);
  node->version = opset != opsets_.end() ? opset->second : node->domain.empty() ? OG_ABI_OPSET : 0;
  node->name = (source_.name.empty() ? source_.op_type : source_.name) +
               (nodes_.empty() ? "" : "/" + node->op_type + std::to_string(nodes_.size()));
  node->path = source_.path;
  for (int i = 0; i < input_count; ++i) node->inputs.push_back(resolve_input(inputs[i]));
  while (!node->inputs.empty() && !node->inputs.back()) node->inputs.pop_back();
  for (int i = 0; i < output_count; ++i) {
    node->outputs.push_back(resolve_output(outputs[i]));
    if (node->outputs.back()) node->outputs.back()->producer = node.get();
  }
  handles_.push_back(std::make_unique<NewNode>());
  handles_.back()->node = node.get();
  handles_.back()->source = &source_;
  nodes_.push_back(std::move(node));
  return handles_.back().get();
}

void GraphBuilder::constant(const char* name, std::shared_ptr<const ir::Tensor> tensor) {
  ir::Value* value = graph_.add_value((source_.name.empty() ? source_.op_type : source_.name) + "/" + name);
  value->type = tensor->type();
  value->constant = std::move(tensor);
  local_[name] = value;
}

}  // namespace opgraft::passes
