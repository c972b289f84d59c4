// Choosing kernels, inserting casts, expanding bodies.
#include "passes/place.h"

#include <algorithm>

#include "base/error.h"
#include "exec/kernel.h"
#include "passes/builder.h"
#include "passes/fold.h"
#include "passes/import.h"

namespace opgraft::passes {
namespace {

constexpr int kMaxRounds = 64;
constexpr size_t kMaxListed = 50;

bool half(int32_t dtype) { return dtype == f16 || dtype == bf16; }

class Placer {
 public:
  Placer(ir::Model& model, const Registry& registry, const PlaceOptions& options)
      : model_(model), registry_(registry), options_(options) {}

  // One sweep over the graph and its subgraphs. True when something was expanded.
  bool sweep(ir::Graph& graph) {
    bool changed = false;
    std::vector<std::unique_ptr<ir::Node>> old;
    old.swap(graph.nodes);
    for (auto& node : old) {
      for (auto& attribute : node->attributes)
        for (auto& subgraph : attribute.graphs) changed |= sweep(*subgraph);
      changed |= place(graph, std::move(node));
    }
    return changed;
  }

  void report() const {
    if (problems_.empty()) return;
    std::string text = model_.source + ": " + std::to_string(problems_.size()) +
                       (problems_.size() == 1 ? " node" : " nodes") + " cannot be run:";
    for (size_t i = 0; i < problems_.size() && i < kMaxListed; ++i) text += "\n  - " + problems_[i];
    if (problems_.size() > kMaxListed) text += "\n  ... and " + std::to_string(problems_.size() - kMaxListed) + " more";
    throw Error(ErrorCode::kUnsupported, text);
  }
  void clear() { problems_.clear(); }

 private:
  bool place(ir::Graph& graph, std::unique_ptr<ir::Node> node) {
    if (!check_types(*node)) {
      graph.nodes.push_back(std::move(node));
      return false;
    }
    const OpDef& op = *node->op;
    const auto view = make_view(*node);
    std::vector<og_value> inputs, outputs;
    for (int i = 0; i < node->explicit_inputs(); ++i) inputs.push_back(describe(node->inputs[static_cast<size_t>(i)]));
    for (const ir::Value* value : node->outputs) outputs.push_back(describe(value));
    if (!(options_.prefer_bodies && op.body)) {
      node->kernel = select(op, *view, inputs, outputs);
      if (node->kernel) {
        graph.nodes.push_back(std::move(node));
        return false;
      }
      if (promote(graph, op, *view, inputs, outputs, node)) return true;
    }
    if (op.body && expand(graph, op, *node)) return true;
    if (options_.prefer_bodies && op.body) {  // the body gives no graph for these types
      node->kernel = select(op, *view, inputs, outputs);
      if (node->kernel) {
        graph.nodes.push_back(std::move(node));
        return false;
      }
      if (promote(graph, op, *view, inputs, outputs, node)) return true;
    }
    report_unplaced(*node, inputs, view.get());
    graph.nodes.push_back(std::move(node));
    return false;
  }

  static og_value describe(const ir::Value* value) {
    if (!value) {
      og_value absent{};
      absent.size = sizeof(absent);
      return absent;
    }
    og_value result = shape_only(value->type);
    if (value->constant && !value->is_input)
      result.tensor.data = const_cast<void*>(value->constant->data), result.flags |= OG_VALUE_CONSTANT;
    return result;
  }

  const KernelDef* select(const OpDef& op, const og_node& view, const std::vector<og_value>& inputs,
                          const std::vector<og_value>& outputs) const {
    for (const KernelDef* kernel : registry_.kernels(op, "cpu"))
      if (kernel_matches(*kernel, op, view, inputs, outputs)) return kernel;
    return nullptr;
  }

  // Element types must be among those that the operator's definition allows.
  bool check_types(const ir::Node& node) {
    const Signature& signature = node.op->signature;
    std::map<std::string, std::pair<std::string, std::string>> bound;
    for (int i = 0; i < node.explicit_inputs(); ++i) {
      const ir::Value* value = node.inputs[static_cast<size_t>(i)];
      const ArgDef* arg = signature.input_at(static_cast<size_t>(i));
      if (!value || !arg || !value->type.known() || (value->type.is_tensor() && value->type.dtype == any)) continue;
      const std::string type = ir::onnx_type_string(value->type);
      if (type.find('?') != std::string::npos) continue;
      const auto allowed = signature.allowed_types(arg->type);
      if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
        std::string list;
        for (const auto& name : allowed) list += (list.empty() ? "" : ", ") + name;
        problem(node.describe() + ": input \"" + arg->name + "\" is " + ir::to_string(value->type, &model_.symbols) +
                "; the operator (version " + std::to_string(signature.since_version) + ") allows " + list);
        return false;
      }
      if (arg->flags & OG_HETEROGENEOUS_ARG) continue;
      const auto [position, added] = bound.emplace(arg->type, std::make_pair(type, arg->name));
      if (!added && position->second.first != type) {
        problem(node.describe() + ": inputs \"" + position->second.second + "\" (" + position->second.first +
                ") and \"" + arg->name + "\" (" + type + ") must have the same type " + arg->type);
        return false;
      }
    }
    return true;
  }

  // A float kernel serves half types between two casts.
  bool promote(ir::Graph& graph, const OpDef& op, const og_node& view, std::vector<og_value> inputs,
               std::vector<og_value> outputs, std::unique_ptr<ir::Node>& node) {
    bool any_half = false;
    for (auto* list : {&inputs, &outputs})
      for (auto& value : *list)
        if (value.kind == OG_TENSOR && half(value.dtype)) value.dtype = f32, any_half = true;
    if (!any_half || op.name == "Cast" || !select(op, view, inputs, outputs)) return false;
    const std::string prefix = node->name.empty() ? node->op_type : node->name;
    const auto add_cast = [&](ir::Value* from, ir::Value* to, opgraft::dtype dtype, int number) {
      auto cast = std::make_unique<ir::Node>();
      cast->op_type = "Cast";
      cast->op = registry_.find("", "Cast");
      if (!cast->op) throw Error(ErrorCode::kInternal, "operator Cast is not registered");
      cast->version = cast->op->signature.since_version;
      cast->name = prefix + "/cast" + std::to_string(number);
      cast->path = node->path;
      ir::Attribute attribute;
      attribute.name = "to";
      attribute.kind = OG_ATTR_INT;
      attribute.ints = {dtype};
      cast->attributes.push_back(attribute);
      cast->inputs = {from};
      cast->outputs = {to};
      to->producer = cast.get();
      return cast;
    };
    int number = 0;
    for (int i = 0; i < node->explicit_inputs(); ++i) {
      ir::Value*& input = node->inputs[static_cast<size_t>(i)];
      if (!input || input->type.kind != OG_TENSOR || !half(input->type.dtype)) continue;
      ir::Value* wide = graph.add_value(prefix + "/" + input->name + "_f32_" + std::to_string(number));
      wide->type = input->type;
      wide->type.dtype = f32;
      graph.nodes.push_back(add_cast(input, wide, f32, number++));
      input = wide;
    }
    std::vector<std::unique_ptr<ir::Node>> after;
    for (ir::Value*& output : node->outputs) {
      if (!output || output->type.kind != OG_TENSOR || !half(output->type.dtype)) continue;
      ir::Value* wide = graph.add_value(output->name + "/f32");
      wide->type = output->type;
      wide->type.dtype = f32;
      wide->producer = node.get();
      after.push_back(add_cast(wide, output, output->type.dtype, number++));
      output = wide;
    }
    graph.nodes.push_back(std::move(node));
    for (auto& cast : after) graph.nodes.push_back(std::move(cast));
    return true;
  }

  bool expand(ir::Graph& graph, const OpDef& op, ir::Node& node) {
    GraphBuilder builder(graph, node, &op.signature);
    if (!builder.build(op.body, "the body of the operator (plug-in \"" + op.plugin + "\")")) return false;
    import_nodes(graph, builder.take_nodes(), registry_, "", &graph.nodes);
    return true;
  }

  void report_unplaced(const ir::Node& node, const std::vector<og_value>& inputs, const og_node*) {
    const OpDef& op = *node.op;
    std::string types;
    for (size_t i = 0; i < inputs.size(); ++i)
      types +=
          (i ? ", " : "") + (node.inputs[i] ? ir::to_string(node.inputs[i]->type, &model_.symbols) : std::string("-"));
    std::string have;
    for (const KernelDef* kernel : registry_.kernels(op, "cpu")) {
      std::string list;
      for (const auto& [variable, dtype] : kernel->types)
        list += (list.empty() ? "" : ",") + variable + "=" + dtype_name(dtype);
      have += (have.empty() ? "" : "; ") + (list.empty() ? std::string("all types") : list);
    }
    std::string text = node.describe() + ": no kernel of " + op.qualified_name() + " takes inputs (" + types + ")";
    text += have.empty() ? "; the operator has no CPU kernel" : "; kernels exist for: " + have;
    text += op.body ? "; its body gives no graph for these types" : "; it has no body";
    text += ". Plug-in: \"" + op.plugin + "\" (" + op.plugin_file + ")";
    problem(text);
  }

  void problem(const std::string& text) {
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end()) problems_.push_back(text);
  }

  ir::Model& model_;
  const Registry& registry_;
  const PlaceOptions& options_;
  std::vector<std::string> problems_;
};

}  // namespace

void place(ir::Model& model, const Registry& registry, const PlaceOptions& options) {
  Placer placer(model, registry, options);
  for (int round = 0;; ++round) {
    infer_and_fold(model, false);
    placer.clear();
    const bool changed = placer.sweep(model.graph);
    model.graph.renumber();
    if (!changed) break;
    placer.report();
    if (round == kMaxRounds)
      throw Error(ErrorCode::kPlugin, model.source + ": operator bodies expand without end (more than 64 rounds)");
  }
  placer.report();
  infer_and_fold(model, true);
}

}  // namespace opgraft::passes
