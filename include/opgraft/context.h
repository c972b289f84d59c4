// What an operator's callbacks see: attributes, inference, graph building, packing, preparing and running.
//
// Every object here is a thin view that lives for one callback. None of it is thread-safe, except that `Run` objects of
// different calls are independent. Any exception thrown inside a callback becomes an error of the engine with the
// node's name; nothing crosses the boundary.
#ifndef OPGRAFT_CONTEXT_H_
#define OPGRAFT_CONTEXT_H_

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opgraft/abi.h"
#include "opgraft/dtype.h"

namespace opgraft OG_HIDDEN {

using Dims = std::vector<int64_t>;

inline constexpr int64_t kUnknown = OG_UNKNOWN;
constexpr bool is_symbol(int64_t dim) { return dim <= OG_SYMBOL_BASE && dim > OG_SYMBOL_BASE - (int64_t(1) << 31); }
constexpr bool is_known(int64_t dim) { return !is_symbol(dim); }

namespace detail {
inline const og_host* host = nullptr;

inline void check(int32_t status) {
  if (status != 0) throw std::runtime_error("");  // the host has set the text already
}

// Runs a callback; turns what it throws into the host's error.
template <class F>
int32_t guard(F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    if (error.what()[0] != '\0') host->set_error(error.what());
  } catch (...) {
    host->set_error("the plug-in threw something that is not a std::exception");
  }
  return 1;
}
}  // namespace detail

// Ends the callback with an error of this text.
[[noreturn]] inline void fail(const std::string& text) { throw std::runtime_error(text.empty() ? "failed" : text); }

inline std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + (is_symbol(dims[i]) ? std::string("?") : std::to_string(dims[i]));
  return text + "]";
}

// ---- Attributes of the node at hand ----

class Node {
 public:
  explicit Node(const og_node* node) : node_(node) {}
  const og_node* handle() const { return node_; }
  og_node_info info() const {
    og_node_info info{};
    info.size = sizeof(info);
    detail::host->node_info(node_, &info);
    return info;
  }
  // Nothing when the attribute is neither given nor has a default.
  std::optional<og_attr> find(const char* name) const {
    og_attr attr{};
    attr.size = sizeof(attr);
    if (!detail::host->node_attr(node_, name, &attr)) return std::nullopt;
    return attr;
  }
  bool has_attr(const char* name) const { return find(name).has_value(); }
  // A scalar attribute, or `otherwise` when it is absent. The type of `otherwise` selects the kind.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  T get(const char* name, T otherwise) const {
    const auto attr = find(name);
    if (!attr) return otherwise;
    if (attr->kind == OG_ATTR_INT) return static_cast<T>(attr->ints[0]);
    if (attr->kind == OG_ATTR_FLOAT) return static_cast<T>(attr->floats[0]);
    fail(std::string("attribute \"") + name + "\" is not a number");
  }
  std::string get(const char* name, const char* otherwise) const {
    const auto attr = find(name);
    if (!attr) return otherwise;
    if (attr->kind != OG_ATTR_STRING) fail(std::string("attribute \"") + name + "\" is not a string");
    return std::string(attr->strings[0].data, attr->strings[0].length);
  }
  std::vector<int64_t> ints(const char* name, std::vector<int64_t> otherwise = {}) const {
    const auto attr = find(name);
    if (!attr) return otherwise;
    if (attr->kind != OG_ATTR_INTS) fail(std::string("attribute \"") + name + "\" is not a list of integers");
    return std::vector<int64_t>(attr->ints, attr->ints + attr->count);
  }
  std::vector<float> floats(const char* name, std::vector<float> otherwise = {}) const {
    const auto attr = find(name);
    if (!attr) return otherwise;
    if (attr->kind != OG_ATTR_FLOATS) fail(std::string("attribute \"") + name + "\" is not a list of floats");
    return std::vector<float>(attr->floats, attr->floats + attr->count);
  }
  std::vector<std::string> strings(const char* name) const {
    std::vector<std::string> result;
    const auto attr = find(name);
    if (!attr) return result;
    for (int64_t i = 0; i < attr->count; ++i) result.emplace_back(attr->strings[i].data, attr->strings[i].length);
    return result;
  }

 private:
  const og_node* node_;
};

// Counts a negative axis from the end; fails when it is out of [-ndim, ndim).
inline int64_t normalize_axis(int64_t axis, int64_t ndim, const char* name = "axis") {
  if (axis < -ndim || axis >= ndim)
    fail(std::string(name) + " = " + std::to_string(axis) + " is out of range for rank " + std::to_string(ndim) +
         "; it must be in [" + std::to_string(-ndim) + ", " + std::to_string(ndim - 1) + "]");
  return axis < 0 ? axis + ndim : axis;
}

// ---- Values: a tensor argument, its dims and contents ----

class Tensor {
 public:
  explicit Tensor(const og_value& value) : value_(&value) {}
  bool present() const { return value_->kind != OG_ABSENT; }
  opgraft::dtype dtype() const { return static_cast<opgraft::dtype>(value_->dtype); }
  int ndim() const { return value_->tensor.ndim; }
  int64_t dim(int64_t axis) const { return value_->tensor.shape[axis < 0 ? axis + ndim() : axis]; }
  const int64_t* dims() const { return value_->tensor.shape; }
  Dims shape() const { return Dims(value_->tensor.shape, value_->tensor.shape + ndim()); }
  int64_t numel() const { return product(0, ndim()); }
  // Number of elements over axes [begin, end).
  int64_t product(int begin, int end) const {
    int64_t count = 1;
    for (int i = begin; i < end; ++i) count *= value_->tensor.shape[i];
    return count;
  }
  uint64_t bytes() const { return dtype_bytes(dtype(), static_cast<uint64_t>(numel())); }
  bool has_data() const { return value_->tensor.data != nullptr; }
  template <class T = void>
  T* data() const {
    return static_cast<T*>(value_->tensor.data);
  }
  // Contents of a small integer tensor (int32 or int64) as int64.
  std::vector<int64_t> integers() const {
    std::vector<int64_t> result(static_cast<size_t>(numel()));
    for (size_t i = 0; i < result.size(); ++i) {
      if (dtype() == i64)
        result[i] = data<int64_t>()[i];
      else if (dtype() == i32)
        result[i] = data<int32_t>()[i];
      else
        fail(std::string("expected an integer tensor, got ") + dtype_name(dtype()));
    }
    return result;
  }
  const og_value& raw() const { return *value_; }

 private:
  const og_value* value_;
};

// ---- Inference ----

// Type and shape of one argument. `dims` holds numbers and symbols.
struct Type {
  int32_t kind = OG_ABSENT;
  opgraft::dtype dtype = any;
  bool ranked = false;
  Dims dims;
};

// "Unknown" is an answer: leave an output unset when nothing can be said of it.
class Infer : public Node {
 public:
  explicit Infer(og_infer* ctx) : Node(detail::host->infer_node(ctx)), ctx_(ctx) {}
  og_infer* handle() const { return ctx_; }
  int input_count() const { return info().input_count; }
  int output_count() const { return info().output_count; }

  og_type raw_type(int index) const {
    og_type type{};
    type.size = sizeof(type);
    if (!detail::host->infer_input_type(ctx_, index, &type)) type.kind = OG_ABSENT, type.ndim = -1, type.dtype = OG_ANY;
    return type;
  }
  bool has(int index) const {
    og_type type{};
    type.size = sizeof(type);
    return detail::host->infer_input_type(ctx_, index, &type) != 0;
  }
  opgraft::dtype dtype(int index) const { return static_cast<opgraft::dtype>(raw_type(index).dtype); }
  bool ranked(int index) const { return raw_type(index).ndim >= 0; }
  int ndim(int index) const { return raw_type(index).ndim; }  // -1 = unknown
  // Empty when the rank is unknown: ask ranked() first.
  Dims dims(int index) const {
    const og_type type = raw_type(index);
    return type.ndim > 0 ? Dims(type.dims, type.dims + type.ndim) : Dims{};
  }
  int64_t dim(int index, int axis) const {
    const og_type type = raw_type(index);
    return axis < type.ndim ? type.dims[axis] : kUnknown;
  }
  // Contents of an input when they are known (constant, or computed from known shapes).
  std::optional<og_value> value(int index) const {
    og_value value{};
    value.size = sizeof(value);
    if (!detail::host->infer_input_value(ctx_, index, &value)) return std::nullopt;
    return value;
  }
  // Contents of an integer input of rank 0 or 1, symbols allowed.
  std::optional<std::vector<int64_t>> integers(int index) const {
    const int64_t* values = nullptr;
    int64_t count = 0;
    int32_t ndim = 0;
    if (!detail::host->infer_input_integers(ctx_, index, &values, &count, &ndim)) return std::nullopt;
    return std::vector<int64_t>(values, values + count);
  }
  // As integers(), but only when no symbol is among them.
  std::optional<std::vector<int64_t>> known_integers(int index) const {
    auto values = integers(index);
    if (values)
      for (int64_t value : *values)
        if (is_symbol(value)) return std::nullopt;
    return values;
  }

  void out(int index, opgraft::dtype type) { set(index, type, -1, nullptr); }  // rank unknown
  void out(int index, opgraft::dtype type, const Dims& dims) {
    set(index, type, static_cast<int32_t>(dims.size()), dims.data());
  }
  void out(int index, const og_type& type) { detail::check(detail::host->infer_output(ctx_, index, &type)); }
  // Output has the type and shape of an input.
  void same(int input, int output) { out(output, raw_type(input)); }
  // Integer contents of an output, symbols allowed; scalar = rank 0.
  void out_integers(int index, const std::vector<int64_t>& values, bool scalar = false) {
    detail::check(detail::host->infer_output_integers(ctx_, index, values.data(), static_cast<int64_t>(values.size()),
                                                      scalar ? 0 : 1));
  }
  int64_t add(int64_t a, int64_t b) const { return combine(OG_DIM_ADD, a, b); }
  int64_t sub(int64_t a, int64_t b) const { return combine(OG_DIM_SUB, a, b); }
  int64_t mul(int64_t a, int64_t b) const { return combine(OG_DIM_MUL, a, b); }
  int64_t floor_div(int64_t a, int64_t b) const { return combine(OG_DIM_FLOOR_DIV, a, b); }
  int64_t ceil_div(int64_t a, int64_t b) const { return combine(OG_DIM_CEIL_DIV, a, b); }
  int64_t max(int64_t a, int64_t b) const { return combine(OG_DIM_MAX, a, b); }
  int64_t min(int64_t a, int64_t b) const { return combine(OG_DIM_MIN, a, b); }

 private:
  int64_t combine(int32_t operation, int64_t a, int64_t b) const {
    return detail::host->infer_dim(ctx_, operation, a, b);
  }
  void set(int index, opgraft::dtype dtype, int32_t ndim, const int64_t* dims) {
    og_type type{};
    type.size = sizeof(type);
    type.kind = dtype == str ? OG_STRINGS : OG_TENSOR;
    type.dtype = dtype;
    type.ndim = ndim;
    type.dims = dims;
    out(index, type);
  }
  og_infer* ctx_;
};

// ---- Building graphs: bodies, lowerings, import rules, pattern replacements ----

class NewNode {
 public:
  explicit NewNode(og_new_node* node) : node_(node) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  NewNode& attr(const char* name, T value) {
    const int64_t wide = static_cast<int64_t>(value);
    og_attr attr = make(name, OG_ATTR_INT, 1);
    attr.ints = &wide;
    return add(attr);
  }
  NewNode& attr(const char* name, float value) {
    og_attr attr = make(name, OG_ATTR_FLOAT, 1);
    attr.floats = &value;
    return add(attr);
  }
  NewNode& attr(const char* name, const std::vector<int64_t>& values) {
    og_attr attr = make(name, OG_ATTR_INTS, static_cast<int64_t>(values.size()));
    attr.ints = values.data();
    return add(attr);
  }
  NewNode& attr(const char* name, const std::vector<float>& values) {
    og_attr attr = make(name, OG_ATTR_FLOATS, static_cast<int64_t>(values.size()));
    attr.floats = values.data();
    return add(attr);
  }
  NewNode& attr(const char* name, std::string_view value) {
    const og_string text{value.data(), value.size()};
    og_attr attr = make(name, OG_ATTR_STRING, 1);
    attr.strings = &text;
    return add(attr);
  }
  NewNode& attr(const char* name, const char* value) { return attr(name, std::string_view(value)); }
  NewNode& attr(const og_attr& attr) { return add(attr); }
  // Copies an attribute of the node being replaced, when it has one.
  NewNode& attr_from(const char* source, const char* name = nullptr) {
    detail::check(detail::host->graph_attr_from(node_, source, name ? name : source));
    return *this;
  }

 private:
  static og_attr make(const char* name, int32_t kind, int64_t count) {
    og_attr attr{};
    attr.size = sizeof(attr);
    attr.kind = kind;
    attr.name = name;
    attr.count = count;
    return attr;
  }
  NewNode& add(const og_attr& attr) {
    detail::check(detail::host->graph_attr(node_, &attr));
    return *this;
  }
  og_new_node* node_;
};

// Names: an input is called by its formal name in the operator's definition, or by its position ("0"); an output
// likewise. Other names are local. An empty name is an omitted argument. A name in `inputs` means, in this order: a
// value added before under that name, an input of that formal name, the input at that position.
class Graph : public Node {
 public:
  explicit Graph(og_graph* graph) : Node(detail::host->graph_node(graph)), graph_(graph) {}
  og_graph* handle() const { return graph_; }
  bool has(int index) const { return type(index).kind != OG_ABSENT; }
  bool uses_output(int index) const { return detail::host->graph_has_output(graph_, index) != 0; }
  Type type(int index) const {
    og_type raw{};
    raw.size = sizeof(raw);
    Type type;
    if (!detail::host->graph_input_type(graph_, index, &raw)) return type;
    type.kind = raw.kind == OG_ABSENT ? static_cast<int32_t>(OG_TENSOR) : raw.kind;
    type.dtype = static_cast<opgraft::dtype>(raw.dtype);
    type.ranked = raw.ndim >= 0;
    if (raw.ndim > 0) type.dims.assign(raw.dims, raw.dims + raw.ndim);
    return type;
  }
  opgraft::dtype dtype(int index) const { return type(index).dtype; }  // any = unknown
  std::optional<og_value> value(int index) const {                     // contents of a constant input
    og_value value{};
    value.size = sizeof(value);
    if (!detail::host->graph_input_value(graph_, index, &value)) return std::nullopt;
    return value;
  }
  // The standard operators used here are those of this opset; the engine raises them (default: OG_ABI_OPSET).
  void opset(int version, const char* domain = "") {
    detail::check(detail::host->graph_opset(graph_, domain, version));
  }
  NewNode node(const char* op_type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               const char* domain = "") {
    std::vector<const char*> in, out;
    for (const auto& name : inputs) in.push_back(name.c_str());
    for (const auto& name : outputs) out.push_back(name.c_str());
    og_new_node* node = detail::host->graph_add(graph_, domain, op_type, in.data(), static_cast<int32_t>(in.size()),
                                                out.data(), static_cast<int32_t>(out.size()));
    if (!node) detail::check(1);
    return NewNode(node);
  }
  void constant(const char* name, const og_value& value) {
    detail::check(detail::host->graph_constant(graph_, name, &value));
  }
  // A constant tensor. Without dims: rank 1 of the length of `values`.
  template <class T>
  void constant(const char* name, const std::vector<T>& values, std::optional<Dims> dims = std::nullopt) {
    Dims shape = dims ? *dims : Dims{static_cast<int64_t>(values.size())};
    og_value value{};
    value.size = sizeof(value);
    value.kind = OG_TENSOR;
    value.dtype = dtype_of<T>;
    value.tensor.data = const_cast<T*>(values.data());
    value.tensor.device = {1, 0};
    value.tensor.ndim = static_cast<int32_t>(shape.size());
    value.tensor.shape = shape.data();
    value.bytes = values.size() * sizeof(T);
    constant(name, value);
  }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  void scalar(const char* name, T number) {
    og_value value{};
    value.size = sizeof(value);
    value.kind = OG_TENSOR;
    value.dtype = dtype_of<T>;
    value.tensor.data = &number;
    value.tensor.device = {1, 0};
    value.bytes = sizeof(T);
    constant(name, value);
  }
  void ints(const char* name, const std::vector<int64_t>& values) { constant(name, values); }
  // A scalar of the dtype of input `like` (a float type).
  void scalar_like(const char* name, double number, int like) {
    switch (dtype(like)) {
      case f64:
        return scalar(name, number);
      case f16:
        return constant(name, std::vector<half_t>{half_t(static_cast<float>(number))}, Dims{});
      case bf16:
        return constant(name, std::vector<bfloat_t>{bfloat_t(static_cast<float>(number))}, Dims{});
      case i32:
        return scalar(name, static_cast<int32_t>(number));
      case i64:
        return scalar(name, static_cast<int64_t>(number));
      default:
        return scalar(name, static_cast<float>(number));
    }
  }

 private:
  og_graph* graph_;
};

// ---- Kernels ----

// Once per node and model: turns constant inputs into what `run` wants. Buffers live with the model.
class Pack : public Node {
 public:
  explicit Pack(og_pack* ctx) : Node(detail::host->pack_node(ctx)), ctx_(ctx) {}
  // Nothing when the input is absent or not constant.
  std::optional<og_value> constant(int index) const {
    og_value value{};
    value.size = sizeof(value);
    if (detail::host->pack_input(ctx_, index, &value) != 1) return std::nullopt;
    return value;
  }
  template <class T>
  T* buffer(uint64_t count) {
    void* memory = detail::host->pack_buffer(ctx_, count * sizeof(T));
    if (!memory) fail("no memory for packed constants");
    return static_cast<T*>(memory);
  }

 private:
  og_pack* ctx_;
};

// Once per plan (one set of input shapes): sizes of scratch, data that depends on shapes.
class Prepare : public Node {
 public:
  explicit Prepare(og_prepare* ctx) : Node(detail::host->prepare_node(ctx)), ctx_(ctx) {}
  // kind OG_ABSENT when omitted; data only for constants; ndim -1 when the rank is unknown (in `supports` only).
  og_value input(int index) const {
    og_value value{};
    value.size = sizeof(value);
    if (!detail::host->prepare_input(ctx_, index, &value)) value.kind = OG_ABSENT;
    return value;
  }
  og_value output(int index) const {
    og_value value{};
    value.size = sizeof(value);
    if (!detail::host->prepare_output(ctx_, index, &value)) value.kind = OG_ABSENT;
    return value;
  }
  bool has(int index) const { return input(index).kind != OG_ABSENT; }
  Dims dims(int index) const {
    const og_value value = input(index);
    return value.tensor.ndim > 0 ? Dims(value.tensor.shape, value.tensor.shape + value.tensor.ndim) : Dims{};
  }
  Dims output_dims(int index) const {
    const og_value value = output(index);
    return value.tensor.ndim > 0 ? Dims(value.tensor.shape, value.tensor.shape + value.tensor.ndim) : Dims{};
  }
  int threads() const { return detail::host->prepare_threads(ctx_); }
  void scratch(uint64_t bytes) { detail::check(detail::host->prepare_scratch(ctx_, bytes)); }
  template <class T>
  const T& state() const {
    return *static_cast<const T*>(detail::host->prepare_state(ctx_));
  }

 private:
  og_prepare* ctx_;
};

// One execution. Inputs are read-only; `out` gives the planned buffer of an output, whose dims were inferred; an output
// whose dims only data decides is allocated with `output(index, dims)`.
class Run : public Node {
 public:
  explicit Run(og_run* run) : Node(run->node), run_(run) {}
  og_run* handle() const { return run_; }
  int input_count() const { return run_->input_count; }
  int output_count() const { return run_->output_count; }
  bool has(int index) const { return index < run_->input_count && run_->inputs[index].kind != OG_ABSENT; }
  bool uses_output(int index) const { return index < run_->output_count && run_->outputs[index].kind != OG_ABSENT; }
  Tensor input(int index) const { return Tensor(run_->inputs[index]); }
  Tensor output(int index) const { return Tensor(run_->outputs[index]); }
  // Allocates or checks an output; dims must equal what was inferred.
  Tensor output(int index, const Dims& dims) {
    og_value* value = detail::host->run_output(run_, index, dims.data(), static_cast<int32_t>(dims.size()));
    if (!value) detail::check(1);
    return Tensor(*value);
  }
  opgraft::dtype dtype(int index) const { return input(index).dtype(); }
  template <class T>
  const T* in(int index) const {
    return static_cast<const T*>(run_->inputs[index].tensor.data);
  }
  template <class T>
  T* out(int index) const {
    return static_cast<T*>(run_->outputs[index].tensor.data);
  }
  template <class T>
  const T& state() const {
    return *static_cast<const T*>(run_->state);
  }
  template <class T>
  const T& plan() const {
    return *static_cast<const T*>(run_->plan);
  }
  template <class T = void>
  T* scratch() const {
    return static_cast<T*>(run_->scratch);
  }
  template <class T>
  T* resource() const {
    return static_cast<T*>(run_->resource);
  }
  const og_parallel* parallel() const { return run_->parallel; }
  int threads() const { return run_->parallel ? run_->parallel->threads : 1; }
  // body(begin, end) or body(begin, end, worker) on disjoint ranges that cover [0, n).
  template <class F>
  void parallel_for(int64_t n, int64_t grain, F&& body) const {
    if (n <= 0) return;
    if (!run_->parallel || run_->parallel->threads <= 1 || n <= grain) return call(body, 0, n, 0);
    run_->parallel->parallel_for(
        run_->parallel->ctx, n, grain,
        [](void* user, int64_t begin, int64_t end, int32_t worker) {
          call(*static_cast<std::remove_reference_t<F>*>(user), begin, end, worker);
        },
        const_cast<void*>(static_cast<const void*>(&body)));
  }
  // Runs the graph of an attribute; outer names are supplied by the engine.
  std::vector<og_value> subgraph(const char* attr, const std::vector<og_value>& inputs, int output_count) {
    std::vector<og_value> outputs(static_cast<size_t>(output_count));
    for (auto& value : outputs) value.size = sizeof(og_value);
    detail::check(detail::host->run_subgraph(run_, attr, inputs.data(), static_cast<int32_t>(inputs.size()),
                                             outputs.data(), output_count));
    return outputs;
  }
  void release(og_value& value) { detail::host->run_release(run_, &value); }
  // The output becomes this value without a copy.
  void forward(int output, const og_value& value) { detail::check(detail::host->run_forward(run_, output, &value)); }
  std::string_view string(int input, int64_t index) const {
    og_string text{};
    detail::check(detail::host->value_string(&run_->inputs[input], index, &text));
    return {text.data, static_cast<size_t>(text.length)};
  }
  void set_string(int output, int64_t index, std::string_view text) {
    detail::check(detail::host->run_set_string(run_, output, index, text.data(), text.size()));
  }
  // Elements of a sequence, of an optional (0 or 1), or keys and values of a map.
  int64_t item_count(int input) const { return detail::host->value_count(&run_->inputs[input]); }
  og_value item(int input, int64_t index) const {
    og_value value{};
    value.size = sizeof(value);
    detail::check(detail::host->value_at(&run_->inputs[input], index, &value));
    return value;
  }
  // Appends a copy to a sequence, or fills an optional; a value of kind OG_ABSENT makes an empty one.
  void append(int output, const og_value& value) { detail::check(detail::host->run_append(run_, output, &value)); }
  // Appends a map to a sequence of maps: keys of rank 1 (int64 or strings), as many values.
  void append_map(int output, const og_value& keys, const og_value& values) {
    detail::check(detail::host->run_append_map(run_, output, &keys, &values));
  }
  bool cancelled() const { return detail::host->run_cancelled(run_) != 0; }

 private:
  template <class F>
  static void call(F& body, int64_t begin, int64_t end, int32_t worker) {
    if constexpr (std::is_invocable_v<F&, int64_t, int64_t, int32_t>)
      body(begin, end, worker);
    else
      body(begin, end);
  }
  og_run* run_;
};

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_CONTEXT_H_
