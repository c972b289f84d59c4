// Loading models, making sessions, checking feeds.
#include "runtime/session.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "formats/onnx/reader.h"
#include "passes/import.h"
#include "passes/optimize.h"
#include "passes/place.h"
#include "plugin/plugin.h"
#include "runtime/session_impl.h"

namespace opgraft {

// ---- model ----

Model::~Model() = default;

std::shared_ptr<const Model> Model::load_file(const std::string& path, const SessionOptions& options) {
  formats::ReadLimits limits;
  limits.max_converted_bytes = options.limits.converted_bytes;
  return finish(formats::read_onnx_file(path, limits), options);
}

std::shared_ptr<const Model> Model::load_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                               const std::string& source, const SessionOptions& options) {
  formats::ReadLimits limits;
  limits.max_converted_bytes = options.limits.converted_bytes;
  return finish(formats::read_onnx_bytes(std::move(owner), data, size, source, limits), options);
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

}  // namespace

std::shared_ptr<const Model> Model::finish(std::unique_ptr<ir::Model> ir, const SessionOptions& options) {
  register_builtins();
  plugin::load_environment();
  plugin::collect_loaded();
  std::shared_ptr<Model> model(new Model());
  model->ir_ = std::move(ir);
  settle_inputs(*model->ir_);
  model->registry_ = Registry::current();
  if (has_unknown_operator(*model->ir_, *model->registry_)) {
    plugin::load_installed();
    model->registry_ = Registry::current();
  }
  passes::ImportOptions import_options;
  import_options.plugins_searched = plugin::search_report();
  if (options.has_allowed_operators) import_options.allowed = &options.allowed_operators;
  passes::import(*model->ir_, *model->registry_, import_options);
  passes::PlaceOptions place_options;
  place_options.prefer_bodies = options.prefer_bodies;
  passes::place(*model->ir_, *model->registry_, place_options);
  if (options.optimize && !options.prefer_bodies) passes::optimize(*model->ir_, *model->registry_, place_options);
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

// ---- session ----

SessionImpl::SessionImpl(std::shared_ptr<const Model> m, const SessionOptions& o) : model(std::move(m)), options(o) {
  threads = options.threads > 0 ? std::min(options.threads, 1024) : available_processors();
  if (threads > 1) {
    pool = std::make_unique<ThreadPool>(threads);
    parallel.size = sizeof(parallel);
    parallel.threads = threads;
    parallel.ctx = pool.get();
    parallel.parallel_for = [](void* ctx, int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t, int32_t),
                               void* user) { static_cast<ThreadPool*>(ctx)->parallel_for(n, grain, body, user); };
  }
  for (int i = 0; i < model->program_count(); ++i) plans.push_back(std::make_unique<Plans>());
  resources.assign(model->resources().size(), nullptr);
  for (size_t i = 0; i < resources.size(); ++i) {
    const StepDef& step = *model->resources()[i];
    const og_resource& resource = step.node->op->resource;
    take_error();
    if (resource.create && resource.create(resource.user, step.view.get(), &resources[i]) != 0)
      throw Error(ErrorCode::kPlugin,
                  step.node->describe() + ": its session resource could not be made: " + take_error());
  }
}

SessionImpl::~SessionImpl() {
  plans.clear();
  for (size_t i = 0; i < resources.size(); ++i) {
    const og_resource& resource = model->resources()[i]->node->op->resource;
    if (resources[i] && resource.destroy) resource.destroy(resources[i]);
  }
}

Session::Session(std::shared_ptr<const Model> model, const SessionOptions& options)
    : impl_(std::make_unique<SessionImpl>(std::move(model), options)) {}
Session::~Session() = default;

const Model& Session::model() const { return *impl_->model; }

namespace {

// What is wrong with one feed; empty when it fits.
// A value fed for an optional input becomes an optional that holds it; an absent one becomes an empty optional.
RuntimeValue to_optional(const RuntimeValue& value) {
  auto object = std::make_shared<SequenceObject>();
  if (value.present()) {
    object->items.push_back(value.abi());
    object->owners.push_back(std::make_shared<RuntimeValue>(value));
    object->items[0].tensor.shape = static_cast<const RuntimeValue*>(object->owners[0].get())->abi().tensor.shape;
  }
  og_value whole{};
  whole.size = sizeof(whole);
  whole.kind = OG_OPTIONAL;
  whole.handle = object.get();
  return RuntimeValue(whole, object);
}

std::string check_feed(const ir::Model& model, const ir::Value& input, const RuntimeValue& value) {
  const ir::Type got = value.type();
  const ir::Type& want = input.type;
  const std::string wanted = ir::to_string(want, &model.symbols);
  if (!want.known()) return "";
  if (got.kind != want.kind && !(got.is_tensor() && want.is_tensor() && want.dtype == any))
    return "input \"" + input.name + "\" must be " + wanted + ", got " + ir::to_string(got);
  if (!want.is_tensor()) return "";
  if (want.dtype != any && got.dtype != want.dtype)
    return "input \"" + input.name + "\" must be " + wanted + ", got " + ir::to_string(got) + ": wrong element type";
  if (!want.ranked) return "";
  if (got.dims.size() != want.dims.size())
    return "input \"" + input.name + "\" must be " + wanted + ", got " + ir::to_string(got) + ": rank " +
           std::to_string(got.dims.size()) + " instead of " + std::to_string(want.dims.size());
  for (size_t i = 0; i < want.dims.size(); ++i)
    if (!ir::is_symbol(want.dims[i]) && want.dims[i] != got.dims[i])
      return "input \"" + input.name + "\" must be " + wanted + ", got " + ir::to_string(got) + ": dim " +
             std::to_string(i) + " is " + std::to_string(got.dims[i]) + " instead of " + std::to_string(want.dims[i]);
  return "";
}

}  // namespace

std::vector<RuntimeValue> Session::run(const std::vector<std::string>& output_names,
                                       const std::vector<std::pair<std::string, RuntimeValue>>& feeds,
                                       const RunOptions& run_options) {
  const ir::Model& model = impl_->model->ir();
  const ir::Graph& graph = model.graph;
  std::vector<RuntimeValue> inputs(graph.inputs.size());
  std::vector<std::string> problems;
  for (const auto& [name, fed] : feeds) {
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                    [&, &wanted = name](const ir::Value* input) { return input->name == wanted; });
    if (found == graph.inputs.end()) {
      std::string names;
      for (const ir::Value* input : graph.inputs) names += (names.empty() ? "\"" : ", \"") + input->name + "\"";
      problems.push_back("there is no input \"" + name + "\"; the inputs are " + names);
      continue;
    }
    const bool optional = (*found)->type.kind == OG_OPTIONAL && fed.abi().kind != OG_OPTIONAL;
    if (!optional && !fed.present()) continue;
    const RuntimeValue value = optional ? to_optional(fed) : fed;
    const std::string problem = check_feed(model, **found, value);
    if (!problem.empty()) problems.push_back(problem);
    inputs[static_cast<size_t>(found - graph.inputs.begin())] = value;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].present()) continue;
    if (graph.inputs[i]->constant)
      inputs[i] = RuntimeValue::of(graph.inputs[i]->constant);
    else if (std::none_of(feeds.begin(), feeds.end(), [&](const auto& feed) {
               return feed.first == graph.inputs[i]->name && feed.second.present();
             }))
      problems.push_back("input \"" + graph.inputs[i]->name + "\" (" +
                         ir::to_string(graph.inputs[i]->type, &model.symbols) + ") is missing");
  }
  std::vector<size_t> wanted;
  for (const auto& name : output_names) {
    const auto found = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                    [&, &want = name](const ir::Value* output) { return output->name == want; });
    if (found == graph.outputs.end()) {
      std::string names;
      for (const ir::Value* output : graph.outputs) names += (names.empty() ? "\"" : ", \"") + output->name + "\"";
      problems.push_back("there is no output \"" + name + "\"; the outputs are " + names);
    } else {
      wanted.push_back(static_cast<size_t>(found - graph.outputs.begin()));
    }
  }
  if (!problems.empty()) {
    std::string text = model.source + ": wrong arguments of run:";
    for (const auto& problem : problems) text += "\n  - " + problem;
    throw Error(ErrorCode::kInvalidArgument, text);
  }
  RunState state;
  std::vector<ActiveInstance> active;
  state.session = impl_.get();
  state.active = &active;
  state.cancel = run_options.cancel;
  auto outputs = impl_->run_program(impl_->model->program(), inputs, nullptr, 0, state);
  // What lies in memory of the caller or of the model is copied: results belong to the caller alone.
  for (auto& output : outputs) {
    const og_value& raw = output.abi();
    const bool borrowed = !output.owner() || (raw.flags & OG_VALUE_CONSTANT) ||
                          std::any_of(inputs.begin(), inputs.end(), [&](const RuntimeValue& input) {
                            return raw.kind == OG_TENSOR && input.abi().tensor.data == raw.tensor.data;
                          });
    if (borrowed) output = RuntimeValue::copy_of(raw);
  }
  if (output_names.empty()) return outputs;
  std::vector<RuntimeValue> selected;
  for (const size_t index : wanted) selected.push_back(outputs[index]);
  return selected;
}

std::vector<ProfileEvent> Session::take_profile() {
  const std::lock_guard lock(impl_->profile_mutex);
  std::vector<ProfileEvent> events;
  events.swap(impl_->events);
  return events;
}

uint64_t Session::arena_bytes() const {
  const std::lock_guard lock(impl_->arena_mutex);
  return impl_->arena_total;
}

}  // namespace opgraft
