// Loading models: read, import, place, optimise, bind.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/error.h"
#include "formats/onnx/reader.h"
#include "passes/import.h"
#include "passes/infer.h"
#include "passes/optimize.h"
#include "passes/place.h"
#include "plugin/plugin.h"
#include "runtime/program.h"
#include "runtime/session.h"

namespace opgraft {

Model::~Model() = default;

namespace {

formats::ReadLimits read_limits(const SessionOptions& options) {
  formats::ReadLimits limits;
  limits.max_converted_bytes = options.limits.converted_bytes;
  return limits;
}

}  // namespace

std::shared_ptr<const Model> Model::load_file(const std::string& path, const SessionOptions& options) {
  return finish(formats::read_onnx_file(path, read_limits(options)), options);
}

std::shared_ptr<const Model> Model::load_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                               const std::string& source, const SessionOptions& options) {
  return finish(formats::read_onnx_bytes(std::move(owner), data, size, source, read_limits(options)), options);
}

namespace {

// Before IR version 4 an initializer had to be listed as an input: it is a constant all the same.
void settle_inputs(ir::Model& model) {
  if (model.ir_version >= 4) return;
  auto& inputs = model.graph.inputs;
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [](ir::Value* value) {
                                if (!value->constant) return false;
                                value->is_input = false;
                                return true;
                              }),
               inputs.end());
}

// Operators of the model that no plug-in known so far brings: then installed packages are searched, once.
bool has_unknown_operator(ir::Model& model, const Registry& registry) {
  bool unknown = false;
  const auto look = [&](ir::Graph&, ir::Node& node) {
    if (unknown || registry.find(node.domain, node.op_type)) return;
    for (const auto& function : model.functions)
      if (function.name == node.op_type && function.domain == node.domain) return;
    unknown = !registry.find_import(
        model.format, node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type, node.version);
  };
  ir::for_each_node(model.graph, look);
  for (auto& function : model.functions) ir::for_each_node(function.body, look);
  return unknown;
}

// Foreign nodes become operators of the registry, which is returned.
std::shared_ptr<const Registry> import_model(ir::Model& model, const SessionOptions& options) {
  register_builtins();
  plugin::load_environment();
  plugin::collect_loaded();
  settle_inputs(model);
  std::shared_ptr<const Registry> registry = Registry::current();
  if (has_unknown_operator(model, *registry)) {
    plugin::load_installed();
    registry = Registry::current();
  }
  passes::ImportOptions import_options;
  import_options.plugins_searched = plugin::search_report();
  if (options.has_allowed_operators) import_options.allowed = &options.allowed_operators;
  passes::import(model, *registry, import_options);
  return registry;
}

}  // namespace

std::shared_ptr<const Model> Model::finish(std::unique_ptr<ir::Model> ir, const SessionOptions& options) {
  std::shared_ptr<Model> model(new Model());
  model->ir_ = std::move(ir);
  model->registry_ = import_model(*model->ir_, options);
  passes::PlaceOptions place_options;
  place_options.prefer_bodies = options.prefer_bodies;
  passes::place(*model->ir_, *model->registry_, place_options);
  if (options.optimize && !options.prefer_bodies) passes::optimize(*model->ir_, *model->registry_, place_options);
  model->ir_->graph.drop_unused_values();
  ProgramBuilder builder;
  model->program_ = builder.build(model->ir_->graph);
  model->resources_ = builder.resources;
  model->program_count_ = builder.program_count;
  model->packed_bytes_ = builder.packed_bytes;
  return model;
}

std::vector<ValueInfo> Model::inputs() const {
  std::vector<ValueInfo> result;
  for (const ir::Value* value : ir_->graph.inputs)
    if (!value->constant) result.push_back({value->name, value->type});
  return result;
}

std::vector<ValueInfo> Model::overridable_initializers() const {
  std::vector<ValueInfo> result;
  for (const ir::Value* value : ir_->graph.inputs)
    if (value->constant) result.push_back({value->name, value->type});
  return result;
}

std::vector<ValueInfo> Model::outputs() const {
  std::vector<ValueInfo> result;
  for (const ir::Value* value : ir_->graph.outputs) result.push_back({value->name, value->type});
  return result;
}

std::string Model::type_text(const ir::Type& type) const { return ir::to_string(type, &ir_->symbols); }

std::string Model::placement_report() const {
  std::string text;
  const auto add = [&](const auto& self, const Program& program, const std::string& indent) -> void {
    for (const auto& step : program.steps) {
      text += indent + step.node->op->qualified_name() + " \"" + step.node->name + "\": cpu kernel of " +
              step.kernel->def().plugin + ", priority " + std::to_string(step.kernel->def().priority) + "\n";
      for (const auto& [attr, child] : step.subgraphs) {
        text += indent + "  " + attr + ":\n";
        self(self, *child, indent + "    ");
      }
    }
  };
  add(add, *program_, "");
  return text;
}

// ---- inference alone ----

namespace {

void for_each_value(const ir::Graph& graph, const std::function<void(const ir::Value&)>& fn) {
  for (const auto& value : graph.values) fn(*value);
  for (const auto& node : graph.nodes)
    for (const auto& attribute : node->attributes)
      for (const auto& subgraph : attribute.graphs) for_each_value(*subgraph, fn);
}

InferredTypes infer_types(std::unique_ptr<ir::Model> model, const SessionOptions& options) {
  std::vector<std::string> names;  // in the file's order; imports and bodies add others
  std::set<std::string> known;
  for_each_value(model->graph, [&](const ir::Value& value) {
    if (!value.name.empty() && !value.is_capture && known.insert(value.name).second) names.push_back(value.name);
  });
  std::map<std::string, ir::Type> types;
  const auto collect = [&] {
    for_each_value(model->graph, [&](const ir::Value& value) {
      const ir::Type& type = value.constant && !value.is_input ? value.constant->type() : value.type;
      if (!type.known() || !known.count(value.name)) return;
      const auto [position, added] = types.emplace(value.name, type);
      // Later rounds know constants that the first did not.
      if (!added) position->second = type.ranked || !position->second.ranked ? type : position->second;
    });
  };
  const auto registry = import_model(*model, options);
  passes::infer(*model);
  collect();
  passes::place(*model, *registry, passes::PlaceOptions{});
  collect();
  InferredTypes result;
  for (const auto& name : names) {
    const auto found = types.find(name);
    result.values.push_back({name, found == types.end() ? ir::Type{} : found->second});
  }
  result.symbols = model->symbols;
  return result;
}

}  // namespace

InferredTypes infer_types_file(const std::string& path, const SessionOptions& options) {
  return infer_types(formats::read_onnx_file(path, read_limits(options)), options);
}

InferredTypes infer_types_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                const std::string& source, const SessionOptions& options) {
  return infer_types(formats::read_onnx_bytes(std::move(owner), data, size, source, read_limits(options)), options);
}

}  // namespace opgraft
