// Matching patterns and splicing in their replacements.
#include "passes/optimize.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "passes/builder.h"
#include "passes/import.h"
#include "passes/pattern.h"

namespace opgraft::passes {
namespace {

constexpr int kMaxRounds = 16;

struct Match {
  std::map<std::string, ir::Value*> variables;  // null = absent
  std::map<const PatternTerm*, ir::Node*> nodes;
};

bool commutative(const ir::Node& node) {
  return node.domain.empty() && (node.op_type == "Add" || node.op_type == "Mul") && node.inputs.size() == 2;
}

class Matcher {
 public:
  // `swapped_first`: operands of commutative operators are tried in the other order first.
  Matcher(const std::map<const ir::Value*, ir::Node*>& producers, bool swapped_first)
      : producers_(producers), swapped_first_(swapped_first) {}

  bool term(const PatternTerm& pattern, ir::Value* value, Match& match) const {
    if (!pattern.is_call()) {
      const auto bound = match.variables.find(pattern.label);
      if (bound != match.variables.end()) return bound->second == value;
      if (!value && !pattern.may_be_absent) return false;
      match.variables[pattern.label] = value;
      return true;
    }
    if (!value) return false;
    const auto producer = producers_.find(value);
    return producer != producers_.end() && producer->second->outputs[0] == value &&
           node(pattern, *producer->second, match);
  }

  bool node(const PatternTerm& pattern, ir::Node& node, Match& match) const {
    const auto known = match.nodes.find(&pattern);
    if (known != match.nodes.end()) return known->second == &node;
    if (node.op_type != pattern.op_type || node.domain != pattern.domain || node.capture_count) return false;
    for (size_t i = 1; i < node.outputs.size(); ++i)
      if (node.outputs[i]) return false;
    if (node.inputs.size() > pattern.arguments.size()) return false;
    const auto try_order = [&](bool swapped) {
      Match attempt = match;
      attempt.nodes[&pattern] = &node;
      for (size_t i = 0; i < pattern.arguments.size(); ++i) {
        const size_t from = swapped ? 1 - i : i;
        ir::Value* input = from < node.inputs.size() ? node.inputs[from] : nullptr;
        if (!term(*pattern.arguments[i], input, attempt)) return false;
      }
      match = std::move(attempt);
      return true;
    };
    if (!commutative(node) || pattern.arguments.size() != 2) return try_order(false);
    return try_order(swapped_first_) || try_order(!swapped_first_);
  }

 private:
  const std::map<const ir::Value*, ir::Node*>& producers_;
  bool swapped_first_;
};

class Optimizer {
 public:
  Optimizer(const Registry& registry) : registry_(registry) {
    for (const auto& definition : registry.patterns())
      patterns_.push_back({&definition, parse_pattern(definition.text)});
  }

  bool sweep(ir::Graph& graph) {
    bool changed = false;
    for (auto& node : graph.nodes)
      for (auto& attribute : node->attributes)
        for (auto& subgraph : attribute.graphs) changed |= sweep(*subgraph);
    for (const auto& pattern : patterns_) changed |= apply(graph, pattern);
    return changed;
  }

 private:
  struct Prepared {
    const PatternDef* definition;
    ParsedPattern parsed;
  };

  bool apply(ir::Graph& graph, const Prepared& pattern) {
    const PatternTerm& root = *pattern.parsed.root;
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto& node) { return node->op_type == root.op_type && node->domain == root.domain; }))
      return false;
    std::map<const ir::Value*, ir::Node*> producers;
    for (const auto& node : graph.nodes)
      for (const ir::Value* output : node->outputs)
        if (output) producers[output] = node.get();
    auto uses = graph.use_counts();
    std::set<const ir::Node*> gone;
    std::map<const ir::Node*, std::vector<std::unique_ptr<ir::Node>>> replacements;
    for (auto& node : graph.nodes) {
      if (gone.count(node.get())) continue;
      // A sum of two convolutions matches either way, but only one of them may be used here alone.
      for (const bool swapped_first : {false, true}) {
        Match match;
        if (!Matcher(producers, swapped_first).node(root, *node, match)) break;
        if (!closed(match, *node, uses, gone)) continue;
        auto made = replace(graph, pattern, match, *node);
        if (made.empty()) continue;
        for (const auto& [term, matched] : match.nodes) gone.insert(matched);
        replacements[node.get()] = std::move(made);
        break;
      }
    }
    if (gone.empty()) return false;
    std::vector<std::unique_ptr<ir::Node>> old;
    old.swap(graph.nodes);
    for (auto& node : old) {
      const auto found = replacements.find(node.get());
      if (found != replacements.end())
        for (auto& made : found->second) graph.nodes.push_back(std::move(made));
      else if (!gone.count(node.get()))
        graph.nodes.push_back(std::move(node));
    }
    return true;
  }

  // What lies between the inputs and the root is used inside the match only.
  static bool closed(const Match& match, const ir::Node& root, const std::map<const ir::Value*, int>& uses,
                     const std::set<const ir::Node*>& gone) {
    std::map<const ir::Value*, int> inside;
    for (const auto& [term, node] : match.nodes) {
      if (gone.count(node)) return false;
      for (const ir::Value* input : node->inputs)
        if (input) ++inside[input];
    }
    for (const auto& [term, node] : match.nodes) {
      if (node == &root) continue;
      const auto use = uses.find(node->outputs[0]);
      if (use == uses.end() || use->second != inside[node->outputs[0]]) return false;
    }
    return true;
  }

  std::vector<std::unique_ptr<ir::Node>> replace(ir::Graph& graph, const Prepared& pattern, const Match& match,
                                                 const ir::Node& root) {
    ir::Node source;
    source.name = root.name;
    source.op_type = root.op_type;
    source.domain = root.domain;
    source.path = root.path;
    for (const auto& [term, node] : match.nodes)
      for (ir::Attribute attribute : node->attributes) {
        attribute.name = term->label + "." + attribute.name;
        source.attributes.push_back(std::move(attribute));
      }
    std::vector<ir::Value*> inputs;
    for (const auto& name : pattern.parsed.inputs) {
      const auto bound = match.variables.find(name);
      inputs.push_back(bound == match.variables.end() ? nullptr : bound->second);
    }
    GraphBuilder builder(graph, source, inputs, pattern.parsed.inputs, {root.outputs[0]}, {pattern.parsed.output});
    std::vector<std::unique_ptr<ir::Node>> made;
    if (!builder.build(pattern.definition->replace, "pattern \"" + pattern.definition->name + "\" of plug-in \"" +
                                                        pattern.definition->plugin + "\""))
      return made;
    import_nodes(graph, builder.take_nodes(), registry_, "", &made);
    return made;
  }

  const Registry& registry_;
  std::vector<Prepared> patterns_;
};

}  // namespace

void optimize(ir::Model& model, const Registry& registry, const PlaceOptions& options) {
  Optimizer optimizer(registry);
  bool any = false;
  for (int round = 0; round < kMaxRounds && optimizer.sweep(model.graph); ++round) {
    any = true;
    place(model, registry, options);
  }
  if (any) model.graph.drop_unused_values();
}

}  // namespace opgraft::passes
