// Making sessions, checking feeds, running.
#include "runtime/session.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "runtime/session_impl.h"

namespace opgraft {

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
