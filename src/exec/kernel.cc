// Packing, preparing and running kernels; the engine's side of the run slots.
#include "exec/kernel.h"

#include <cstring>

#include "base/buffer.h"
#include "base/error.h"

namespace opgraft {

RuntimeValue& RuntimeValue::operator=(const RuntimeValue& other) {
  value_ = other.value_;
  dims_ = other.dims_;
  owner_ = other.owner_;
  value_.tensor.shape = dims_.data();
  return *this;
}

RuntimeValue::RuntimeValue(const og_value& value, std::shared_ptr<const void> owner)
    : value_(value), owner_(std::move(owner)) {
  if (value.tensor.ndim > 0 && value.tensor.shape)
    dims_.assign(value.tensor.shape, value.tensor.shape + value.tensor.ndim);
  value_.tensor.shape = dims_.data();
  value_.tensor.strides = nullptr;
}

RuntimeValue RuntimeValue::of(const std::shared_ptr<const ir::Tensor>& tensor) {
  return RuntimeValue(ir::to_abi(*tensor), tensor);
}

uint64_t allocated_bytes(const ir::Type& type) {
  const auto count = static_cast<uint64_t>(type.numel());
  if (type.dtype != str) return dtype_bytes(type.dtype, count);
  return count >> 56 ? uint64_t(1) << 62 : count * sizeof(std::string);
}

RuntimeValue RuntimeValue::allocate(opgraft::dtype dtype, const ir::Dims& dims) {
  og_value value{};
  value.size = sizeof(value);
  value.dtype = dtype;
  value.tensor.device = {1, 0};
  value.tensor.dtype = ir::to_dl(dtype);
  value.tensor.ndim = static_cast<int32_t>(dims.size());
  value.tensor.shape = const_cast<int64_t*>(dims.data());
  const int64_t count = ir::tensor_type(dtype, dims).numel();
  if (count == INT64_MAX)
    throw Error(ErrorCode::kOutOfMemory, "a tensor of dims " + ir::dims_to_string(dims) + " is too large");
  if (dtype == str) {
    auto strings = std::make_shared<std::vector<std::string>>(static_cast<size_t>(count));
    value.kind = OG_STRINGS;
    value.handle = strings.get();
    return RuntimeValue(value, strings);
  }
  value.kind = OG_TENSOR;
  value.bytes = dtype_bytes(dtype, static_cast<uint64_t>(count));
  auto memory = opgraft::allocate(value.bytes);
  value.tensor.data = memory.get();
  return RuntimeValue(value, memory);
}

RuntimeValue RuntimeValue::copy_of(const og_value& value) {
  if (value.kind == OG_TENSOR || value.kind == OG_STRINGS) {
    RuntimeValue copy = allocate(static_cast<opgraft::dtype>(value.dtype), RuntimeValue(value, nullptr).dims());
    if (value.kind == OG_STRINGS)
      *static_cast<std::vector<std::string>*>(copy.abi().handle) =
          *static_cast<const std::vector<std::string>*>(value.handle);
    else if (value.bytes)
      std::memcpy(copy.abi().tensor.data, value.tensor.data, value.bytes);
    return copy;
  }
  if (value.kind == OG_ABSENT) return RuntimeValue();
  auto sequence = std::make_shared<SequenceObject>();
  if (value.handle)
    for (const auto& item : static_cast<const SequenceObject*>(value.handle)->items) {
      auto owned = std::make_shared<RuntimeValue>(copy_of(item));
      sequence->items.push_back(owned->abi());
      sequence->owners.push_back(owned);
    }
  og_value whole = value;
  whole.handle = sequence.get();
  return RuntimeValue(whole, sequence);
}

ir::Type RuntimeValue::type() const {
  ir::Type type;
  type.kind = value_.kind;
  if (value_.kind == OG_TENSOR || value_.kind == OG_STRINGS)
    return ir::tensor_type(static_cast<opgraft::dtype>(value_.dtype), dims_);
  if (value_.kind == OG_SEQUENCE || value_.kind == OG_OPTIONAL) {
    const auto* sequence = static_cast<const SequenceObject*>(value_.handle);
    if (sequence && !sequence->items.empty()) {
      ir::Type element = RuntimeValue(sequence->items[0], nullptr).type();
      for (const auto& item : sequence->items) element = ir::join(element, RuntimeValue(item, nullptr).type());
      type.element = std::make_shared<ir::Type>(element);
    }
  }
  if (value_.kind == OG_MAP) {
    const auto& items = static_cast<const SequenceObject*>(value_.handle)->items;
    type.dtype = static_cast<opgraft::dtype>(items[0].dtype);
    type.element = std::make_shared<ir::Type>(ir::tensor_type(static_cast<opgraft::dtype>(items[1].dtype)));
  }
  return type;
}

std::shared_ptr<const ir::Tensor> RuntimeValue::tensor() const {
  auto tensor = std::make_shared<ir::Tensor>();
  tensor->dtype = static_cast<opgraft::dtype>(value_.dtype);
  tensor->dims = dims_;
  if (value_.kind == OG_STRINGS) {
    tensor->strings = *static_cast<const std::vector<std::string>*>(value_.handle);
    return tensor;
  }
  if (value_.kind != OG_TENSOR) throw Error(ErrorCode::kInternal, "not a tensor");
  tensor->owner = owner_;
  tensor->data = value_.tensor.data;
  tensor->bytes = value_.bytes;
  return tensor;
}

og_value shape_only(const ir::Type& type) {
  og_value value{};
  value.size = sizeof(value);
  if (!type.known()) {
    value.kind = OG_TENSOR;
    value.tensor.ndim = -1;
    return value;
  }
  value.kind = type.kind;
  value.dtype = type.dtype;
  value.tensor.device = {1, 0};
  value.tensor.dtype = ir::to_dl(type.dtype);
  value.tensor.ndim = type.ranked ? static_cast<int32_t>(type.dims.size()) : -1;
  value.tensor.shape = const_cast<int64_t*>(type.dims.data());
  if (type.concrete() && type.kind == OG_TENSOR)
    value.bytes = dtype_bytes(type.dtype, static_cast<uint64_t>(type.numel()));
  return value;
}

void throw_kernel_error(const BoundKernel& kernel, const char* stage) {
  const std::string text = take_error();
  throw Error(ErrorCode::kPlugin, kernel.describe() + ": " + stage + " of the kernel of plug-in \"" +
                                      kernel.def().plugin + "\" failed: " + (text.empty() ? "no reason given" : text));
}

// ---- pack ----

namespace {

struct PackContext : og_pack {
  const og_node* view = nullptr;
  const ir::Node* source = nullptr;
  std::vector<std::shared_ptr<void>>* buffers = nullptr;
  uint64_t* total = nullptr;

  const og_node* node() override { return view; }
  bool input(int index, og_value* out) override {
    if (index < 0 || index >= static_cast<int>(source->inputs.size())) return false;
    const ir::Value* value = source->inputs[static_cast<size_t>(index)];
    if (!value || !value->constant || value->is_input) return false;
    *out = ir::to_abi(*value->constant);
    return true;
  }
  void* buffer(uint64_t bytes) override {
    buffers->push_back(allocate(bytes));
    *total += bytes;
    return buffers->back().get();
  }
};

struct PrepareContext : og_prepare {
  const og_node* view = nullptr;
  const std::vector<og_value>* inputs = nullptr;
  const std::vector<og_value>* outputs = nullptr;
  const void* kernel_state = nullptr;
  int thread_count = 1;
  uint64_t scratch_bytes = 0;

  const og_node* node() override { return view; }
  static bool get(const std::vector<og_value>& values, int index, og_value* out) {
    if (index < 0 || index >= static_cast<int>(values.size())) return false;
    *out = values[static_cast<size_t>(index)];
    return out->kind != OG_ABSENT;
  }
  bool input(int index, og_value* out) override { return get(*inputs, index, out); }
  bool output(int index, og_value* out) override { return get(*outputs, index, out); }
  const void* state() override { return kernel_state; }
  int threads() override { return thread_count; }
  void scratch(uint64_t bytes) override { scratch_bytes = bytes; }
};

}  // namespace

BoundKernel::BoundKernel(const KernelDef& def, std::shared_ptr<const og_node> view, const ir::Node& node)
    : def_(&def), view_(std::move(view)), describe_(node.describe()) {
  for (size_t i = 0; node.op && i < static_cast<size_t>(node.explicit_inputs()); ++i) {
    const ArgDef* arg = node.op->signature.input_at(i);
    if (arg && arg->flags == 0) needed_.push_back(i);
  }
  if (!def.calls.pack) return;
  PackContext context;
  context.view = view_.get();
  context.source = &node;
  context.buffers = &buffers_;
  context.total = &packed_bytes_;
  take_error();
  if (def.calls.pack(def.calls.user, &context, &state_) != 0) throw_kernel_error(*this, "pack");
}

void BoundKernel::check_inputs(const std::vector<og_value>& inputs) const {
  for (const size_t i : needed_)
    if (i < inputs.size() && inputs[i].kind == OG_ABSENT)
      throw Error(ErrorCode::kInvalidModel, describe_ + ": input " + std::to_string(i) +
                                                " has no value: what it is connected to was omitted outside");
}

BoundKernel::~BoundKernel() {
  if (state_ && def_->calls.free_state) def_->calls.free_state(state_);
}

PreparedKernel& PreparedKernel::operator=(PreparedKernel&& other) noexcept {
  std::swap(plan, other.plan);
  std::swap(free_plan, other.free_plan);
  std::swap(scratch, other.scratch);
  return *this;
}

PreparedKernel::~PreparedKernel() {
  if (plan && free_plan) free_plan(plan);
}

PreparedKernel prepare_kernel(const BoundKernel& kernel, const std::vector<og_value>& inputs,
                              const std::vector<og_value>& outputs, int threads) {
  PreparedKernel prepared;
  const og_kernel& calls = kernel.def().calls;
  if (!calls.prepare) return prepared;
  PrepareContext context;
  context.view = kernel.node();
  context.inputs = &inputs;
  context.outputs = &outputs;
  context.kernel_state = kernel.state();
  context.thread_count = kernel.def().flags & OG_KERNEL_HOST_THREADS ? 1 : threads;
  prepared.free_plan = calls.free_plan;
  take_error();
  if (calls.prepare(calls.user, &context, &prepared.plan) != 0) throw_kernel_error(kernel, "prepare");
  prepared.scratch = context.scratch_bytes;
  return prepared;
}

double kernel_flops(const OpDef& op, const BoundKernel& kernel, const std::vector<og_value>& inputs,
                    const std::vector<og_value>& outputs) {
  if (!op.flops) return 0;
  PrepareContext context;
  context.view = kernel.node();
  context.inputs = &inputs;
  context.outputs = &outputs;
  context.kernel_state = kernel.state();
  double flops = 0;
  if (op.flops.fn(op.flops.user, &context, &flops) != 0) {
    take_error();
    return 0;
  }
  return flops;
}

bool kernel_matches(const KernelDef& def, const OpDef& op, const og_node& view, const std::vector<og_value>& inputs,
                    const std::vector<og_value>& outputs) {
  const auto variable_dtype = [&](const std::string& variable) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ArgDef* arg = op.signature.input_at(i);
      if (arg && arg->type == variable && inputs[i].kind != OG_ABSENT && inputs[i].dtype != OG_ANY)
        return inputs[i].dtype;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const ArgDef* arg = op.signature.output_at(i);
      if (arg && arg->type == variable && outputs[i].kind != OG_ABSENT && outputs[i].dtype != OG_ANY)
        return outputs[i].dtype;
    }
    return static_cast<int32_t>(OG_ANY);
  };
  for (const auto& [variable, dtype] : def.types)
    if (variable_dtype(variable) != dtype) return false;
  if (!def.calls.supports) return true;
  PrepareContext context;
  context.view = &view;
  context.inputs = &inputs;
  context.outputs = &outputs;
  int32_t answer = 0;
  take_error();
  if (def.calls.supports(def.calls.user, &context, &answer) != 0) {
    take_error();  // a predicate that fails is a no
    return false;
  }
  return answer != 0;
}

// ---- run ----

void StepEngine::check_index(int index) const {
  if (index < 0 || index >= run_->output_count)
    throw Error(ErrorCode::kPlugin,
                "there is no output " + std::to_string(index) + "; the node has " + std::to_string(run_->output_count));
}

void StepEngine::set_late(int index, RuntimeValue value) {
  const auto slot = static_cast<size_t>(index);
  const ir::Type& wanted = expected[slot];
  const ir::Type got = value.type();
  if (wanted.known()) {
    if (got.kind != wanted.kind && !(got.is_tensor() && wanted.is_tensor() && wanted.dtype == any))
      throw Error(ErrorCode::kPlugin, "output " + std::to_string(index) + " must be " + ir::to_string(wanted) +
                                          ", the kernel gave " + ir::to_string(got));
    if (got.is_tensor()) ir::merge(wanted, got, nullptr, "output " + std::to_string(index));
  }
  late[slot] = std::move(value);
  run_->outputs[index] = late[slot].abi();
}

namespace {

void check_bytes(const ir::Type& type, uint64_t limit) {
  const uint64_t bytes = allocated_bytes(type);
  if (bytes > limit)
    throw Error(ErrorCode::kLimit, "an output of dims " + ir::dims_to_string(type.dims) + " takes " +
                                       std::to_string(bytes) + " bytes, the limit is " + std::to_string(limit) +
                                       " (limits[\"planned_bytes\"])");
}

}  // namespace

og_value* StepEngine::output(og_run*, int index, const int64_t* dims, int ndim) {
  check_index(index);
  og_value& value = run_->outputs[index];
  const ir::Dims wanted(dims, dims + ndim);
  if (value.tensor.data || (value.kind == OG_STRINGS && value.handle)) {
    const ir::Dims planned(value.tensor.shape, value.tensor.shape + value.tensor.ndim);
    if (planned != wanted)
      throw Error(ErrorCode::kPlugin, "the kernel asks for dims " + ir::dims_to_string(wanted) + " of output " +
                                          std::to_string(index) + ", but inference gave " +
                                          ir::dims_to_string(planned) + "; mend the operator's infer or its kernel");
    return &value;
  }
  const auto slot = static_cast<size_t>(index);
  if (slot >= late_allowed.size() || !late_allowed[slot]) return &value;  // zero bytes, or unused
  for (int64_t dim : wanted)
    if (dim < 0) throw Error(ErrorCode::kPlugin, "the kernel asks for the negative dims " + ir::dims_to_string(wanted));
  const opgraft::dtype dtype = expected[slot].dtype;
  if (dtype == any)
    throw Error(ErrorCode::kPlugin, "the element type of output " + std::to_string(index) +
                                        " was not inferred; the operator's infer must set it");
  check_bytes(ir::tensor_type(dtype, wanted), max_bytes);
  set_late(index, RuntimeValue::allocate(dtype, wanted));
  return &run_->outputs[index];
}

void StepEngine::adopt(og_run*, int index, const og_value& value, og_release_fn release, void* user) {
  check_index(index);
  std::shared_ptr<void> owner;
  if (release) owner = std::shared_ptr<void>(user, release);
  const RuntimeValue adopted(value, owner);
  if (late_allowed[static_cast<size_t>(index)] && !run_->outputs[index].tensor.data) return set_late(index, adopted);
  forward(run_, index, adopted.abi());
}

void StepEngine::forward(og_run*, int index, const og_value& value) {
  check_index(index);
  og_value& target = run_->outputs[index];
  const auto slot = static_cast<size_t>(index);
  if (target.kind == OG_ABSENT && (slot >= late_allowed.size() || !late_allowed[slot])) return;
  if (slot < late_allowed.size() && late_allowed[slot]) {
    // Share when the memory has an owner; a plain input lives as long as the run only, so it is copied.
    for (const auto& result : results_)
      if (result->abi().tensor.data == value.tensor.data && result->abi().handle == value.handle && result->owner())
        return set_late(index, *result);
    return set_late(index, RuntimeValue::copy_of(value));
  }
  if (value.kind != target.kind || value.dtype != target.dtype || value.bytes != target.bytes)
    throw Error(ErrorCode::kPlugin, "output " + std::to_string(index) + ": the forwarded value " +
                                        ir::to_string(RuntimeValue(value, nullptr).type()) +
                                        " is not what was inferred");
  if (target.kind == OG_STRINGS)
    *static_cast<std::vector<std::string>*>(target.handle) =
        *static_cast<const std::vector<std::string>*>(value.handle);
  else if (target.bytes)
    std::memcpy(target.tensor.data, value.tensor.data, target.bytes);
}

void StepEngine::subgraph(og_run*, const char* attr, const og_value* inputs, int input_count, og_value* outputs,
                          int output_count) {
  if (!runner) throw Error(ErrorCode::kPlugin, std::string("graph attribute \"") + attr + "\" cannot be run here");
  const int explicit_count = run_->input_count;
  auto values = runner->run(attr, inputs, input_count, all_inputs + explicit_count, all_input_count - explicit_count);
  if (static_cast<int>(values.size()) != output_count)
    throw Error(ErrorCode::kInvalidModel, std::string("graph attribute \"") + attr + "\" gives " +
                                              std::to_string(values.size()) + " outputs, " +
                                              std::to_string(output_count) + " are wanted");
  for (int i = 0; i < output_count; ++i) {
    RuntimeValue& value = values[static_cast<size_t>(i)];
    // A value passed through from an earlier result shares its memory: release of that one must not take it away.
    if (!value.owner())
      for (const auto& earlier : results_)
        if (earlier->owner() && earlier->abi().tensor.data == value.abi().tensor.data &&
            earlier->abi().handle == value.abi().handle) {
          value = RuntimeValue(value.abi(), earlier->owner());
          break;
        }
    results_.push_back(std::make_unique<RuntimeValue>(std::move(value)));
    outputs[i] = results_.back()->abi();
  }
}

void StepEngine::release(og_run*, og_value* value) {
  for (auto& result : results_)
    if (result->abi().tensor.data == value->tensor.data && result->abi().handle == value->handle &&
        result->abi().tensor.shape == value->tensor.shape) {
      std::swap(result, results_.back());
      results_.pop_back();
      break;
    }
  value->kind = OG_ABSENT;
}

void StepEngine::append(og_run*, int index, const og_value& value) {
  check_index(index);
  const auto slot = static_cast<size_t>(index);
  if (slot >= late_allowed.size() || !late_allowed[slot])
    throw Error(ErrorCode::kPlugin, "output " + std::to_string(index) + " is not a sequence");
  if (!late[slot].present()) {
    auto sequence = std::make_shared<SequenceObject>();
    og_value whole{};
    whole.size = sizeof(whole);
    whole.kind = expected[slot].kind == OG_OPTIONAL ? OG_OPTIONAL : OG_SEQUENCE;
    whole.handle = sequence.get();
    late[slot] = RuntimeValue(whole, sequence);
    run_->outputs[index] = late[slot].abi();
  }
  auto* sequence = static_cast<SequenceObject*>(late[slot].abi().handle);
  if (value.kind == OG_ABSENT) return;  // an empty sequence or optional
  auto owned = std::make_shared<RuntimeValue>(RuntimeValue::copy_of(value));
  sequence->items.push_back(owned->abi());
  sequence->owners.push_back(owned);
}

void StepEngine::set_string(og_run*, int output, int64_t index, const char* data, uint64_t length) {
  check_index(output);
  const og_value& value = run_->outputs[output];
  auto* strings = value.kind == OG_STRINGS ? static_cast<std::vector<std::string>*>(value.handle) : nullptr;
  if (!strings || index < 0 || index >= static_cast<int64_t>(strings->size()))
    throw Error(ErrorCode::kPlugin, "no string " + std::to_string(index) + " in output " + std::to_string(output));
  (*strings)[static_cast<size_t>(index)].assign(data, length);
}

void StepEngine::scope(og_run*, const char*) {}

std::shared_ptr<const void> StepEngine::keep_memory() {
  auto kept = std::make_shared<std::pair<std::shared_ptr<const void>, std::vector<RuntimeValue>>>();
  if (keeper) kept->first = keeper->keep();
  kept->second = late;
  return kept;
}

std::vector<RuntimeValue> run_once(const BoundKernel& kernel, const std::vector<og_value>& inputs, int capture_count,
                                   const std::vector<ir::Type>& output_types, const std::vector<char>& used,
                                   const RunOnce& options) {
  kernel.check_inputs(inputs);
  const size_t count = output_types.size();
  og_run run{};
  run.size = sizeof(run);
  StepEngine engine(&kernel, &run);
  engine.late.resize(count);
  engine.late_allowed.assign(count, 0);
  engine.expected = output_types;
  std::vector<og_value> outputs(count), shapes(count);
  for (size_t i = 0; i < count; ++i) {
    outputs[i].size = sizeof(og_value);
    if (!used[i]) continue;
    if (output_types[i].concrete()) {
      check_bytes(output_types[i], options.max_bytes);
      engine.late[i] = RuntimeValue::allocate(output_types[i].dtype, output_types[i].dims);
      outputs[i] = engine.late[i].abi();
    } else {
      outputs[i] = shape_only(output_types[i]);
      engine.late_allowed[i] = 1;
    }
    shapes[i] = outputs[i];
  }
  const PreparedKernel prepared = prepare_kernel(kernel, inputs, shapes, options.threads);
  std::shared_ptr<void> scratch;
  if (prepared.scratch) scratch = allocate(prepared.scratch);
  run.input_count = static_cast<int32_t>(inputs.size()) - capture_count;
  run.output_count = static_cast<int32_t>(count);
  run.inputs = inputs.data();
  run.outputs = outputs.data();
  run.state = kernel.state();
  run.plan = prepared.plan;
  run.scratch = scratch.get();
  run.resource = options.resource;
  run.node = kernel.node();
  run.parallel = kernel.def().flags & OG_KERNEL_HOST_THREADS ? nullptr : options.parallel;
  run.engine = static_cast<RunEngine*>(&engine);
  engine.all_inputs = inputs.data();
  engine.all_input_count = static_cast<int>(inputs.size());
  engine.runner = options.runner;
  engine.cancel = options.cancel;
  engine.keeper = options.keeper;
  engine.max_bytes = options.max_bytes;
  take_error();
  if (kernel.def().calls.run(kernel.def().calls.user, &run) != 0) throw_kernel_error(kernel, "run");
  for (size_t i = 0; i < count; ++i)
    if (used[i] && !engine.late[i].present())
      throw Error(ErrorCode::kPlugin, kernel.describe() + ": the kernel of plug-in \"" + kernel.def().plugin +
                                          "\" returned without giving output " + std::to_string(i));
  return std::move(engine.late);
}

}  // namespace opgraft
