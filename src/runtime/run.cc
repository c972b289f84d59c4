// The walk over a program: plans by shape, instances bound to memory, steps, late nodes, subgraphs.
#include <cstring>

#include "base/buffer.h"
#include "base/error.h"
#include "runtime/session_impl.h"

namespace opgraft {
namespace {

constexpr int kMaxSubgraphDepth = 128;
constexpr size_t kMaxNextPlans = 128;

void append_key(std::string& key, const og_value& value) {
  const auto put = [&](const void* data, size_t size) { key.append(static_cast<const char*>(data), size); };
  const int32_t head[3] = {value.kind, value.dtype, value.tensor.ndim};
  put(head, sizeof(head));
  if (value.kind == OG_TENSOR || value.kind == OG_STRINGS)
    put(value.tensor.shape, sizeof(int64_t) * static_cast<size_t>(value.tensor.ndim));
}

}  // namespace

// ---- instances ----

Instance::Instance(Plan& p, SessionImpl& session) : plan(p), args(p.args) {
  runs.resize(plan.steps.size());
  frame.resize(plan.externals.size() + plan.heap.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& planned = plan.steps[i];
    const StepDef& step = plan.program.steps[static_cast<size_t>(planned.step)];
    og_run& run = runs[i];
    run.size = sizeof(run);
    run.input_count = planned.input_count - step.node->capture_count;
    run.output_count = planned.output_count;
    run.inputs = args.data() + planned.first_arg;
    run.outputs = args.data() + planned.first_arg + planned.input_count;
    run.state = step.kernel->state();
    run.plan = planned.prepared.plan;
    run.resource = step.resource >= 0 ? session.resources[static_cast<size_t>(step.resource)] : nullptr;
    run.node = step.view.get();
    run.parallel =
        step.kernel->def().flags & OG_KERNEL_HOST_THREADS || session.threads == 1 ? nullptr : &session.parallel;
    engines.push_back(std::make_unique<StepEngine>(step.kernel.get(), &run));
    StepEngine& engine = *engines.back();
    engine.all_inputs = run.inputs;
    engine.all_input_count = planned.input_count;
    if (!step.subgraphs.empty()) {
      runners.push_back(std::make_unique<StepRunner>());
      runners.back()->step = &step;
      engine.runner = runners.back().get();
    }
    run.engine = static_cast<RunEngine*>(&engine);
  }
  for (size_t a = 0; a < args.size(); ++a) {
    const int value = plan.arg_values[a];
    if (value < 0) continue;
    const ValuePlace& place = plan.places[static_cast<size_t>(value)];
    if (place.place == Place::kExternal || place.place == Place::kOutput)
      patches.emplace_back(static_cast<int>(a), place.slot);
  }
}

// Addresses of everything in the arena.
void Instance::bind() {
  if (bound == block.memory.get()) return;
  bound = block.memory.get();
  char* base = static_cast<char*>(block.memory.get());
  for (size_t a = 0; a < args.size(); ++a) {
    const int value = plan.arg_values[a];
    if (value < 0) continue;
    const ValuePlace& place = plan.places[static_cast<size_t>(value)];
    if (place.place == Place::kArena) args[a].tensor.data = base + place.offset;
  }
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].prepared.scratch) runs[i].scratch = base + plan.steps[i].scratch_offset;
}

std::unique_ptr<Instance> SessionImpl::acquire(Plan& plan) {
  std::unique_ptr<Instance> instance;
  {
    const std::lock_guard lock(plan.mutex);
    if (!plan.free_instances.empty()) {
      instance = std::move(plan.free_instances.back());
      plan.free_instances.pop_back();
    }
  }
  if (!instance) instance = std::make_unique<Instance>(plan, *this);
  {
    const std::lock_guard lock(arena_mutex);
    size_t best = free_blocks.size();
    for (size_t i = 0; i < free_blocks.size(); ++i)
      if (free_blocks[i].bytes >= plan.arena_bytes &&
          (best == free_blocks.size() || free_blocks[i].bytes < free_blocks[best].bytes ||
           free_blocks[i].memory.get() == instance->bound)) {
        best = i;
        if (free_blocks[i].memory.get() == instance->bound) break;
      }
    if (best < free_blocks.size()) {
      instance->block = std::move(free_blocks[best]);
      free_blocks.erase(free_blocks.begin() + static_cast<ptrdiff_t>(best));
    } else if (!free_blocks.empty()) {  // one that is too small gives way to a larger one
      arena_total -= free_blocks.back().bytes;
      free_blocks.pop_back();
    }
  }
  if (!instance->block.memory) {
    instance->block.bytes = align_up(plan.arena_bytes ? plan.arena_bytes : 1);
    instance->block.memory = allocate(instance->block.bytes);
    const std::lock_guard lock(arena_mutex);
    arena_total += instance->block.bytes;
  }
  instance->bind();
  return instance;
}

void SessionImpl::release(std::unique_ptr<Instance> instance) {
  for (auto& value : instance->frame) value = RuntimeValue();
  {
    const std::lock_guard lock(arena_mutex);
    if (instance->block.memory.use_count() > 1)  // a kernel's array still lies in it
      arena_total -= instance->block.bytes;
    else
      free_blocks.push_back(std::move(instance->block));
  }
  instance->block = {};
  Plan& plan = instance->plan;
  const std::lock_guard lock(plan.mutex);
  plan.free_instances.push_back(std::move(instance));
}

// ---- plans ----

std::shared_ptr<Plan> SessionImpl::first_plan(const Program& program, const std::vector<RuntimeValue>& inputs,
                                              const og_value* captures, int capture_count) {
  std::string key;
  for (const auto& input : inputs) append_key(key, input.abi());
  for (int i = 0; i < capture_count; ++i) append_key(key, captures[i]);
  Plans& cache = *plans[static_cast<size_t>(program.id)];
  const std::lock_guard lock(cache.mutex);
  const auto found = cache.plans.find(key);
  if (found != cache.plans.end()) return found->second;
  if (cache.plans.size() >= static_cast<size_t>(options.limits.plans)) cache.plans.clear();
  const ir::Graph& graph = *program.graph;
  passes::Facts facts(graph);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    facts.types[static_cast<size_t>(graph.inputs[i]->index)] = inputs[i].type();
  for (const auto& capture : graph.captures) {
    const auto slot = static_cast<size_t>(capture.inner->index);
    if (capture.index < capture_count && !facts.constants[slot])
      facts.types[slot] = RuntimeValue(captures[capture.index], nullptr).type();
  }
  std::shared_ptr<Plan> plan =
      make_plan(program, 0, std::move(facts), threads, PlanLimits{options.limits.planned_bytes});
  cache.plans.emplace(std::move(key), plan);
  return plan;
}

std::shared_ptr<Plan> SessionImpl::next_plan(Plan& plan, const std::vector<RuntimeValue>& late) {
  std::string key;
  for (const auto& value : late) append_key(key, value.abi());
  const std::lock_guard lock(plan.mutex);
  const auto found = plan.next.find(key);
  if (found != plan.next.end()) return found->second;
  if (plan.next.size() >= kMaxNextPlans) plan.next.clear();
  passes::Facts facts = plan.facts;
  const StepDef& step = plan.program.steps[static_cast<size_t>(plan.end - 1)];
  for (size_t i = 0; i < late.size(); ++i)
    if (const ir::Value* value = step.node->outputs[i]) facts.types[static_cast<size_t>(value->index)] = late[i].type();
  std::shared_ptr<Plan> next =
      make_plan(plan.program, plan.end, std::move(facts), threads, PlanLimits{options.limits.planned_bytes});
  return plan.next.emplace(std::move(key), std::move(next)).first->second;
}

// ---- steps ----

std::shared_ptr<const void> RunState::keep() const {
  struct Kept {
    std::shared_ptr<const Model> model;
    std::vector<std::shared_ptr<const Plan>> plans;
    std::vector<std::shared_ptr<const void>> memory;
  };
  auto kept = std::make_shared<Kept>();
  kept->model = session->model;
  for (const auto& [instance, plan] : *active) {
    kept->plans.push_back(plan);
    kept->memory.push_back(instance->block.memory);
    for (const auto& value : instance->frame)
      if (value.owner()) kept->memory.push_back(value.owner());
  }
  return kept;
}

void SessionImpl::record(const StepDef& step, double flops, std::chrono::steady_clock::time_point begin) {
  const auto end = std::chrono::steady_clock::now();
  const auto ns = [](auto span) { return std::chrono::duration_cast<std::chrono::nanoseconds>(span).count(); };
  const std::lock_guard lock(profile_mutex);
  events.push_back({step.node->name, step.node->op->qualified_name(), step.kernel->def().plugin, ns(begin - start),
                    ns(end - begin), flops});
}

void SessionImpl::run_steps(Instance& instance, RunState& state) {
  for (auto& runner : instance.runners) runner->state = &state;
  const size_t count = instance.plan.steps.size() - (instance.plan.late ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    const StepDef& step = instance.plan.program.steps[static_cast<size_t>(instance.plan.steps[i].step)];
    const og_kernel& calls = step.kernel->def().calls;
    instance.engines[i]->cancel = state.cancel;
    instance.engines[i]->keeper = &state;
    if (state.cancel && state.cancel->load(std::memory_order_relaxed))
      throw Error(ErrorCode::kCancelled, "the run was cancelled");
    if (options.profile) {
      const auto begin = std::chrono::steady_clock::now();
      if (calls.run(calls.user, &instance.runs[i]) != 0) throw_kernel_error(*step.kernel, "run");
      record(step, instance.plan.steps[i].flops, begin);
    } else if (calls.run(calls.user, &instance.runs[i]) != 0) {
      throw_kernel_error(*step.kernel, "run");
    }
    if (!step.subgraphs.empty()) instance.engines[i]->clear_results();
  }
}

// A node whose output dims only data decides: inference again, now with contents, then a run that allocates.
std::vector<RuntimeValue> SessionImpl::run_late(Instance& instance, RunState& state) {
  const size_t last = instance.plan.steps.size() - 1;
  const PlannedStep& planned = instance.plan.steps[last];
  const StepDef& step = instance.plan.program.steps[static_cast<size_t>(planned.step)];
  const ir::Node& node = *step.node;
  const og_value* args = instance.args.data() + planned.first_arg;
  std::vector<og_value> inputs(args, args + planned.input_count);
  if (!instance.late_facts) instance.late_facts = std::make_unique<passes::Facts>(instance.plan.facts);
  passes::Facts& facts = *instance.late_facts;
  if (step.subgraphs.empty()) {
    for (int i = 0; i < planned.input_count; ++i) {
      const ir::Value* value = node.inputs[static_cast<size_t>(i)];
      if (!value || instance.plan.facts.constant(value) || inputs[static_cast<size_t>(i)].kind != OG_TENSOR ||
          inputs[static_cast<size_t>(i)].tensor.ndim < 0)
        continue;
      auto tensor = std::make_shared<ir::Tensor>();
      const og_value& raw = inputs[static_cast<size_t>(i)];
      tensor->dtype = static_cast<dtype>(raw.dtype);
      tensor->dims.assign(raw.tensor.shape, raw.tensor.shape + raw.tensor.ndim);
      tensor->data = raw.tensor.data;
      tensor->bytes = raw.bytes;
      facts.constants[static_cast<size_t>(value->index)] = tensor;
      facts.integers[static_cast<size_t>(value->index)].reset();
    }
    for (const ir::Value* value : node.outputs)
      if (value) {
        const auto slot = static_cast<size_t>(value->index);
        facts.constants[slot].reset();
        facts.integers[slot].reset();
        facts.types[slot] = instance.plan.facts.types[slot];
      }
    passes::InferOptions infer_options;
    infer_options.use_declared = false;
    passes::infer_node(node, *step.view, facts, infer_options);
  }
  std::vector<ir::Type> types;
  std::vector<char> used;
  for (const ir::Value* value : node.outputs) {
    types.push_back(value ? facts.type(value) : ir::Type{});
    used.push_back(value != nullptr);
    // A kernel with graphs forwards what they gave; nothing is allocated before.
    if (value && !step.subgraphs.empty() && types.back().concrete())
      types.back().ranked = false, types.back().dims.clear();
  }
  RunOnce once;
  once.parallel = step.kernel->def().flags & OG_KERNEL_HOST_THREADS || threads == 1 ? nullptr : &parallel;
  once.resource = step.resource >= 0 ? resources[static_cast<size_t>(step.resource)] : nullptr;
  once.cancel = state.cancel;
  once.keeper = &state;
  once.max_bytes = options.limits.planned_bytes;
  once.threads = threads;
  StepRunner runner;
  runner.step = &step;
  runner.state = &state;
  once.runner = &runner;
  const auto begin = std::chrono::steady_clock::now();
  auto results = run_once(*step.kernel, inputs, node.capture_count, types, used, once);
  if (options.profile) record(step, 0, begin);
  return results;
}

std::vector<RuntimeValue> SessionImpl::run_program(const Program& program, const std::vector<RuntimeValue>& inputs,
                                                   const og_value* captures, int capture_count, RunState& state) {
  struct Held {
    SessionImpl& session;
    std::vector<std::shared_ptr<Plan>> plans;  // kept until their instances are back
    std::vector<std::unique_ptr<Instance>> list;
    std::vector<ActiveInstance>& active;
    ~Held() {
      active.resize(active.size() - list.size());
      for (auto& instance : list) session.release(std::move(instance));
    }
  } held{*this, {}, {}, *state.active};
  std::vector<RuntimeValue> late;
  const ir::Graph& graph = *program.graph;
  // Where a value can be found before stretch `upto`.
  const auto find = [&](int value, size_t upto) -> RuntimeValue {
    const ir::Value* v = program.value(value);
    for (size_t h = upto; h-- > 0;) {
      const Instance& instance = *held.list[h];
      const ValuePlace& place = instance.plan.places[static_cast<size_t>(value)];
      og_value raw = shape_only(instance.plan.facts.types[static_cast<size_t>(value)]);
      switch (place.place) {
        case Place::kConstant:
          if (place.root == value) return RuntimeValue::of(instance.plan.facts.constants[static_cast<size_t>(value)]);
          raw.tensor.data = const_cast<void*>(instance.plan.facts.constants[static_cast<size_t>(place.root)]->data);
          return RuntimeValue(raw, instance.plan.facts.constants[static_cast<size_t>(place.root)]);
        case Place::kArena:
          raw.tensor.data = static_cast<char*>(instance.block.memory.get()) + place.offset;
          return RuntimeValue(raw, nullptr);
        case Place::kOutput:
        case Place::kExternal: {
          const RuntimeValue& source = instance.frame[static_cast<size_t>(place.slot)];
          if (place.root == value) return source;
          raw.tensor.data = source.abi().tensor.data;
          return RuntimeValue(raw, source.owner());
        }
        case Place::kNone:
          break;
      }
    }
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i] == v) return inputs[i];
    for (const auto& capture : graph.captures)
      if (capture.inner == v) return RuntimeValue(captures[capture.index], nullptr);
    if (v->constant) return RuntimeValue::of(v->constant);
    throw Error(ErrorCode::kInternal, "value \"" + v->name + "\" is not available");
  };
  std::shared_ptr<Plan> plan = first_plan(program, inputs, captures, capture_count);
  std::map<int, RuntimeValue> late_values;  // of all stretches so far
  for (;;) {
    held.plans.push_back(plan);
    held.list.push_back(acquire(*plan));
    Instance& instance = *held.list.back();
    held.active.push_back({&instance, plan});
    const size_t index = held.list.size() - 1;
    for (size_t s = 0; s < plan->externals.size(); ++s) {
      const int value = plan->externals[s];
      const auto from_late = late_values.find(value);
      instance.frame[s] = from_late != late_values.end() ? from_late->second : find(value, index);
    }
    for (size_t s = 0; s < plan->heap.size(); ++s) {
      const ir::Type& type = plan->facts.types[static_cast<size_t>(plan->heap[s])];
      instance.frame[plan->externals.size() + s] = RuntimeValue::allocate(type.dtype, type.dims);
    }
    for (const auto& [arg, slot] : instance.patches) {
      const og_value& source = instance.frame[static_cast<size_t>(slot)].abi();
      og_value& target = instance.args[static_cast<size_t>(arg)];
      target.tensor.data = source.tensor.data;
      target.handle = source.handle;
      // Strings, sequences, and values whose rank the plan does not know: the value itself.
      if (target.kind != OG_TENSOR || target.tensor.ndim < 0) target = source;
    }
    run_steps(instance, state);
    if (!plan->late) break;
    late = run_late(instance, state);
    const StepDef& step = program.steps[static_cast<size_t>(plan->end - 1)];
    for (size_t i = 0; i < late.size(); ++i)
      if (const ir::Value* value = step.node->outputs[i]) late_values[value->index] = late[i];
    plan = next_plan(*plan, late);
  }
  std::vector<RuntimeValue> outputs;
  for (const ir::Value* value : graph.outputs) {
    const auto from_late = late_values.find(value->index);
    outputs.push_back(from_late != late_values.end() ? from_late->second : find(value->index, held.list.size()));
  }
  return outputs;
}

std::vector<RuntimeValue> StepRunner::run(const std::string& attr, const og_value* inputs, int input_count,
                                          const og_value* captures, int capture_count) {
  if (state->depth >= kMaxSubgraphDepth) throw Error(ErrorCode::kLimit, "subgraphs are nested more than 128 deep");
  for (const auto& [name, program] : step->subgraphs) {
    if (name != attr) continue;
    if (static_cast<int>(program->graph->inputs.size()) != input_count)
      throw Error(ErrorCode::kInvalidModel, "graph attribute \"" + attr + "\" has " +
                                                std::to_string(program->graph->inputs.size()) + " inputs, " +
                                                std::to_string(input_count) + " were given");
    std::vector<RuntimeValue> values;
    for (int i = 0; i < input_count; ++i) values.emplace_back(inputs[i], nullptr);
    RunState inner = *state;
    ++inner.depth;
    auto outputs = state->session->run_program(*program, values, captures, capture_count, inner);
    // A result without an owner lies in memory of the caller (an input or a capture passed through): it stays valid.
    return outputs;
  }
  throw Error(ErrorCode::kInvalidModel, "there is no graph attribute \"" + attr + "\"");
}

}  // namespace opgraft
