// Raising foreign nodes to canonical operators.
#include "passes/import.h"

#include <algorithm>

#include "base/error.h"
#include "passes/builder.h"
#include "passes/inline_functions.h"

namespace opgraft::passes {
namespace {

constexpr int kMaxDepth = 32;
constexpr size_t kMaxListed = 50;

class Importer {
 public:
  Importer(const Registry& registry, std::string format, const ImportOptions& options)
      : registry_(registry), format_(std::move(format)), options_(options) {}

  void graph(ir::Graph& graph) {
    std::vector<std::unique_ptr<ir::Node>> old;
    old.swap(graph.nodes);
    for (auto& node : old) raise(graph, std::move(node), 0, &graph.nodes);
  }

  void raise(ir::Graph& graph, std::unique_ptr<ir::Node> node, int depth, std::vector<std::unique_ptr<ir::Node>>* out) {
    for (auto& attribute : node->attributes)
      for (auto& subgraph : attribute.graphs) this->graph(*subgraph);
    if (node->op) return out->push_back(std::move(node));
    try {
      if (depth > kMaxDepth)
        throw Error(ErrorCode::kPlugin, node->describe() + ": import rules call each other without end");
      if (apply_import_rule(graph, *node, depth, out)) return;
      if (node->domain.empty() && node->version > OG_ABI_OPSET)
        throw Error(ErrorCode::kUnsupported, node->describe() + ": the model asks for opset " +
                                                 std::to_string(node->version) + ", this engine knows opsets up to " +
                                                 std::to_string(OG_ABI_OPSET) + "; export with an older opset");
      const OpDef* op = node->version == 0 && node->domain.empty()
                            ? nullptr
                            : registry_.find(node->domain, node->op_type, node->version);
      if (!op) {
        unknown(*node);
        return out->push_back(std::move(node));
      }
      check_allowed(*node);
      if (apply_version_rule(graph, *op, *node, depth, out)) return;
      adopt(*op, *node);
      out->push_back(std::move(node));
    } catch (const Error& error) {
      problems_.push_back(error.what());
      code_ = error.code();
      if (node) out->push_back(std::move(node));
    }
  }

  void report(const std::string& source) const {
    if (problems_.empty()) return;
    std::string text =
        source + ": " + std::to_string(problems_.size()) + (problems_.size() == 1 ? " problem" : " problems") + ":";
    for (size_t i = 0; i < problems_.size() && i < kMaxListed; ++i) text += "\n  - " + problems_[i];
    if (problems_.size() > kMaxListed) text += "\n  ... and " + std::to_string(problems_.size() - kMaxListed) + " more";
    if (unknown_) {
      text += "\nSearched: " + std::to_string(registry_.operators().size()) + " registered operators of " +
              std::to_string(registry_.plugins().size()) + " plug-ins";
      if (!options_.plugins_searched.empty()) text += "; " + options_.plugins_searched;
      text +=
          ".\nTo load an operator: opgraft.load_plugin(\"path/to/library.so or operator.py\"), the environment "
          "variable OPGRAFT_PLUGINS, `import` of its Python package, or --plugin on the command line.";
    }
    throw Error(unknown_ ? ErrorCode::kUnsupported : code_, text);
  }

 private:
  std::string foreign_name(const ir::Node& node) const {
    return node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type;
  }

  bool apply_import_rule(ir::Graph& graph, ir::Node& node, int depth, std::vector<std::unique_ptr<ir::Node>>* out) {
    const ImportDef* import = registry_.find_import(format_, foreign_name(node), node.version);
    if (!import) return false;
    check_allowed(node);
    GraphBuilder builder(graph, node, nullptr);
    if (!builder.build(import->rule, "the import rule of plug-in \"" + import->plugin + "\"")) return false;
    for (auto& made : builder.take_nodes()) raise(graph, std::move(made), depth + 1, out);
    return true;
  }

  bool apply_version_rule(ir::Graph& graph, const OpDef& op, ir::Node& node, int depth,
                          std::vector<std::unique_ptr<ir::Node>>* out) {
    if (node.version == 0 || node.version >= op.signature.since_version || op.old_versions.empty()) return false;
    const OldVersion* old = &op.old_versions.front();
    for (const auto& candidate : op.old_versions)
      if (candidate.signature.since_version <= node.version) old = &candidate;
    check_arguments(op.qualified_name(), old->signature, node);
    if (!old->raise) {  // the same in the newest version
      carry_attributes(*old, op.signature, node);
      return false;
    }
    GraphBuilder builder(graph, node, &old->signature);
    if (!builder.build(old->raise, "the rule that raises version " + std::to_string(old->signature.since_version) +
                                       " to version " + std::to_string(op.signature.since_version)))
      return false;
    for (auto& made : builder.take_nodes()) raise(graph, std::move(made), depth + 1, out);
    return true;
  }

  // Attributes that newer versions no longer have are left out; defaults are written down, for they may be others now.
  static void carry_attributes(const OldVersion& old, const Signature& newest, ir::Node& node) {
    std::erase_if(node.attributes, [&](const auto& attribute) { return !newest.find_attr(attribute.name); });
    for (const auto& was : old.signature.attributes) {
      const AttrDef* is = newest.find_attr(was.value.name);
      if (was.has_default && is && is->value.kind == was.value.kind && !node.find(was.value.name))
        node.attributes.push_back(was.value);
    }
  }

  void adopt(const OpDef& op, ir::Node& node) {
    check_arguments(op.qualified_name(), op.signature, node);
    node.op = &op;
    node.version = op.signature.since_version;
  }

  static void check_arguments(const std::string& name, const Signature& signature, const ir::Node& node) {
    const auto wrong = [&](const std::string& text) {
      throw Error(ErrorCode::kInvalidModel, node.describe() + ": " + text + "; the signature (version " +
                                                std::to_string(signature.since_version) + ") is " +
                                                signature.text(name));
    };
    const auto check = [&](const std::vector<ArgDef>& args, const std::vector<ir::Value*>& values, size_t count,
                           const char* side) {
      const bool variadic = !args.empty() && args.back().variadic();
      if (count > args.size() && !variadic)
        wrong("it has " + std::to_string(count) + " " + side + "s, at most " + std::to_string(args.size()) +
              " are allowed");
      if (variadic && count + 1 < args.size() + static_cast<size_t>(std::max(0, args.back().min_arity)))
        wrong("it has " + std::to_string(count) + " " + side + "s, at least " +
              std::to_string(args.size() - 1 + static_cast<size_t>(std::max(0, args.back().min_arity))) +
              " are needed");
      for (size_t i = 0; i < args.size(); ++i)
        if (args[i].flags == 0 && std::string(side) == "input" && (i >= count || !values[i]))
          wrong(std::string(side) + " \"" + args[i].name + "\" is missing");
    };
    check(signature.inputs, node.inputs, static_cast<size_t>(node.explicit_inputs()), "input");
    check(signature.outputs, node.outputs, node.outputs.size(), "output");
    for (const auto& attribute : node.attributes) {
      const AttrDef* definition = signature.find_attr(attribute.name);
      if (!definition) wrong("attribute \"" + attribute.name + "\" is unknown");
      if (attribute.kind != definition->value.kind) wrong("attribute \"" + attribute.name + "\" has the wrong kind");
      if (attribute.kind == OG_ATTR_GRAPH && attribute.graphs.empty())
        wrong("attribute \"" + attribute.name + "\" has no graph");
    }
    for (const auto& definition : signature.attributes)
      if (definition.required && !node.find(definition.value.name))
        wrong("attribute \"" + definition.value.name + "\" is required");
  }

  void check_allowed(const ir::Node& node) const {
    if (options_.allowed && !options_.allowed->count(node.domain + "::" + node.op_type))
      throw Error(ErrorCode::kInvalidModel,
                  node.describe() + ": this operator is not on the list of allowed operators");
  }

  void unknown(const ir::Node& node) {
    unknown_ = true;
    const std::string domain = node.domain.empty() ? "ai.onnx" : node.domain;
    std::string text = node.describe() + ": operator " + node.op_type + " of domain \"" + domain + "\", version ";
    if (node.version == 0) {
      text += "unknown (the model does not import domain \"" + domain + "\": add it to opset_import)";
    } else {
      text += std::to_string(node.version);
    }
    text += ", is not registered.";
    for (const auto& hint : registry_.near_misses(node.domain, node.op_type, node.version)) text += " " + hint + ".";
    problems_.push_back(text);
  }

  const Registry& registry_;
  std::string format_;
  const ImportOptions& options_;
  std::vector<std::string> problems_;
  ErrorCode code_ = ErrorCode::kInvalidModel;
  bool unknown_ = false;
};

void remember_declared(ir::Graph& graph) {
  for (auto& value : graph.values)
    if (!value->constant || value->is_input) value->declared = value->type;
  for (auto& node : graph.nodes)
    for (auto& attribute : node->attributes)
      for (auto& subgraph : attribute.graphs) remember_declared(*subgraph);
}

}  // namespace

void import(ir::Model& model, const Registry& registry, const ImportOptions& options) {
  inline_functions(model, registry);
  remember_declared(model.graph);
  Importer importer(registry, model.format, options);
  importer.graph(model.graph);
  importer.report(model.source);
  model.graph.drop_unused_values();
}

void import_nodes(ir::Graph& graph, std::vector<std::unique_ptr<ir::Node>> nodes, const Registry& registry,
                  const std::string& format, std::vector<std::unique_ptr<ir::Node>>* out) {
  const ImportOptions options;
  Importer importer(registry, format, options);
  for (auto& node : nodes) importer.raise(graph, std::move(node), 0, out);
  importer.report("expansion");
}

}  // namespace opgraft::passes
