// Building, walking and copying graphs.
#include "ir/graph.h"

#include <algorithm>
#include <unordered_set>

namespace opgraft::ir {

const Attribute* Node::find(const std::string& attribute) const {
  for (const auto& candidate : attributes)
    if (candidate.name == attribute) return &candidate;
  return nullptr;
}

std::string Node::describe() const {
  const std::string type = (domain.empty() ? "" : domain + "::") + op_type;
  return (path.empty() ? "" : path + ": ") + "node \"" + name + "\" (" + type + ")";
}

Value* Graph::add_value(std::string value_name) {
  values.push_back(std::make_unique<Value>());
  values.back()->name = std::move(value_name);
  return values.back().get();
}

Node* Graph::add_node() {
  nodes.push_back(std::make_unique<Node>());
  return nodes.back().get();
}

std::map<const Value*, int> Graph::use_counts() const {
  std::map<const Value*, int> counts;
  for (const auto& node : nodes)
    for (const Value* input : node->inputs)
      if (input) ++counts[input];
  for (const Value* output : outputs) ++counts[output];
  return counts;
}

void Graph::drop_unused_values() {
  std::unordered_set<const Value*> used(inputs.begin(), inputs.end());
  used.insert(outputs.begin(), outputs.end());
  for (const auto& capture : captures) used.insert(capture.inner);
  for (const auto& node : nodes) {
    used.insert(node->inputs.begin(), node->inputs.end());
    used.insert(node->outputs.begin(), node->outputs.end());
  }
  values.erase(
      std::remove_if(values.begin(), values.end(), [&](const auto& value) { return !used.count(value.get()); }),
      values.end());
  renumber();
}

void Graph::renumber() {
  for (size_t i = 0; i < values.size(); ++i) values[i]->index = static_cast<int>(i);
  for (const auto& node : nodes)
    for (const auto& attribute : node->attributes)
      for (const auto& subgraph : attribute.graphs) subgraph->renumber();
}

void for_each_node(Graph& graph, const std::function<void(Graph&, Node&)>& fn) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = *graph.nodes[i];
    for (auto& attribute : node.attributes)
      for (auto& subgraph : attribute.graphs) for_each_node(*subgraph, fn);
    fn(graph, node);
  }
}

std::shared_ptr<Graph> clone(const Graph& graph, std::map<const Value*, Value*>* value_map) {
  auto copy = std::make_shared<Graph>();
  std::map<const Value*, Value*> local;
  std::map<const Value*, Value*>& map = value_map ? *value_map : local;
  copy->name = graph.name;
  copy->opsets = graph.opsets;
  map[nullptr] = nullptr;
  for (const auto& value : graph.values) {
    copy->values.push_back(std::make_unique<Value>(*value));
    copy->values.back()->producer = nullptr;
    map[value.get()] = copy->values.back().get();
  }
  for (const auto& node : graph.nodes) {
    copy->nodes.push_back(std::make_unique<Node>(*node));
    Node& target = *copy->nodes.back();
    for (auto& input : target.inputs) input = map.at(input);
    for (auto& output : target.outputs) {
      output = map.at(output);
      if (output) output->producer = &target;
    }
    for (auto& attribute : target.attributes)
      for (auto& subgraph : attribute.graphs) subgraph = clone(*subgraph);
  }
  for (Value* input : graph.inputs) copy->inputs.push_back(map.at(input));
  for (Value* output : graph.outputs) copy->outputs.push_back(map.at(output));
  for (const auto& capture : graph.captures) copy->captures.push_back({map.at(capture.inner), capture.index});
  return copy;
}

}  // namespace opgraft::ir
