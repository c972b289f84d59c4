// Inference of nodes and graphs.
#include "passes/infer.h"

#include <algorithm>

#include "base/error.h"
#include "registry/registry.h"

namespace opgraft::passes {
namespace {

constexpr int64_t kMaxIntegers = 4096;  // longer tensors are not followed

void set_type(Facts& facts, const ir::Value* value, ir::Type type) {
  facts.types[static_cast<size_t>(value->index)] = std::move(type);
}

// An integer tensor with known numbers is a constant of the plan.
void settle_integers(Facts& facts, const ir::Value* value) {
  const auto slot = static_cast<size_t>(value->index);
  const auto& integers = facts.integers[slot];
  const opgraft::dtype dtype = facts.types[slot].dtype;
  if (!integers || facts.constants[slot] || (dtype != i64 && dtype != i32)) return;
  for (int64_t number : *integers)
    if (ir::is_symbol(number)) return;
  const ir::Dims dims = facts.integers_scalar[slot] ? ir::Dims{} : ir::Dims{static_cast<int64_t>(integers->size())};
  void* data = nullptr;
  auto tensor = ir::make_tensor(dtype, dims, &data);
  for (size_t i = 0; i < integers->size(); ++i) {
    if (dtype == i64)
      static_cast<int64_t*>(data)[i] = (*integers)[i];
    else
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>((*integers)[i]);
  }
  facts.constants[slot] = tensor;
}

// The kind and element type that were found at load.
ir::Type unknown_shape(const ir::Type& type) { return type.is_tensor() ? ir::tensor_type(type.dtype) : ir::Type{}; }

class NodeInfer : public og_infer {
 public:
  NodeInfer(const ir::Node& node, const og_node& view, Facts& facts, const InferOptions& options)
      : node_(node), view_(view), facts_(facts), options_(options) {}

  const og_node* node() override { return &view_; }

  const ir::Value* input(int index) const {
    return index >= 0 && index < node_.explicit_inputs() ? node_.inputs[static_cast<size_t>(index)] : nullptr;
  }
  bool input_type(int index, og_type* out) override {
    const ir::Value* value = input(index);
    if (!value) return false;
    const uint32_t size = out->size;
    *out = ir::to_abi(facts_.type(value), &nested_);
    out->size = size;
    if (out->kind == OG_ABSENT) out->ndim = -1;
    return true;
  }
  bool input_value(int index, og_value* out) override {
    const ir::Value* value = input(index);
    if (!value || !facts_.constant(value)) return false;
    *out = ir::to_abi(*facts_.constant(value));
    return true;
  }
  bool input_integers(int index, const int64_t** values, int64_t* count, int32_t* ndim) override {
    const ir::Value* value = input(index);
    if (!value) return false;
    const auto slot = static_cast<size_t>(value->index);
    auto& integers = facts_.integers[slot];
    if (!integers && facts_.constants[slot]) {
      std::vector<int64_t> numbers;
      if (facts_.constants[slot]->dims.size() > 1 ||
          !ir::read_integers(*facts_.constants[slot], kMaxIntegers, &numbers))
        return false;
      integers = std::move(numbers);
      facts_.integers_scalar[slot] = facts_.constants[slot]->dims.empty();
    }
    if (!integers) return false;
    *values = integers->data();
    *count = static_cast<int64_t>(integers->size());
    *ndim = facts_.integers_scalar[slot] ? 0 : 1;
    return true;
  }
  const ir::Value* output(int index) const {
    if (index < 0 || index >= static_cast<int>(node_.outputs.size())) return nullptr;  // not used here
    return node_.outputs[static_cast<size_t>(index)];
  }
  void set_output(int index, const og_type& raw) override {
    const ir::Value* value = output(index);
    if (!value) return;
    ir::Type type = ir::from_abi(raw);
    for (int64_t dim : type.dims)
      if (dim < 0 && !ir::is_symbol(dim))
        throw Error(ErrorCode::kInvalidModel, "inference gives output " + std::to_string(index) +
                                                  " the negative dims " + ir::dims_to_string(type.dims));
    if (type.concrete() && type.numel() == INT64_MAX)
      throw Error(ErrorCode::kLimit, "output " + std::to_string(index) + " would have dims " +
                                         ir::dims_to_string(type.dims) + ", too many elements");
    set_type(facts_, value, std::move(type));
  }
  void set_output_integers(int index, const int64_t* values, int64_t count, int ndim) override {
    const ir::Value* value = output(index);
    if (!value || count > kMaxIntegers) return;
    const auto slot = static_cast<size_t>(value->index);
    facts_.integers[slot] = std::vector<int64_t>(values, values + count);
    facts_.integers_scalar[slot] = ndim == 0;
  }
  int64_t combine(int operation, int64_t a, int64_t b) override {
    return options_.symbols ? options_.symbols->combine(operation, a, b) : ir::combine_numbers(operation, a, b);
  }
  void subgraph(const char* attr, const og_type* inputs, int input_count, og_type* outputs, int output_count) override {
    const ir::Attribute* attribute = node_.find(attr);
    if (!attribute || attribute->graphs.empty())
      throw Error(ErrorCode::kInvalidModel, std::string("graph attribute \"") + attr + "\" is missing");
    const ir::Graph& graph = *attribute->graphs[0];
    if (static_cast<int>(graph.inputs.size()) != input_count || static_cast<int>(graph.outputs.size()) != output_count)
      throw Error(ErrorCode::kInvalidModel, std::string("graph attribute \"") + attr + "\" has " +
                                                std::to_string(graph.inputs.size()) + " inputs and " +
                                                std::to_string(graph.outputs.size()) + " outputs, the operator needs " +
                                                std::to_string(input_count) + " and " + std::to_string(output_count));
    Facts inner(graph);
    for (int i = 0; i < input_count; ++i) {
      ir::Type type = ir::from_abi(inputs[i]);
      if (!type.known() || (type.is_tensor() && type.dtype == any))
        type = graph.inputs[static_cast<size_t>(i)]->declared;
      inner.types[static_cast<size_t>(graph.inputs[static_cast<size_t>(i)]->index)] = type;
    }
    for (const auto& capture : graph.captures) {
      const ir::Value* outer = node_.inputs[static_cast<size_t>(node_.explicit_inputs() + capture.index)];
      const auto slot = static_cast<size_t>(capture.inner->index);
      inner.types[slot] = facts_.type(outer);
      if (!inner.constants[slot]) inner.constants[slot] = facts_.constant(outer);
      inner.integers[slot] = facts_.integers[static_cast<size_t>(outer->index)];
      inner.integers_scalar[slot] = facts_.integers_scalar[static_cast<size_t>(outer->index)];
    }
    if (options_.symbols) {
      infer_graph(graph, inner, options_);
    } else {
      // A branch that is not taken may hold nodes that do not fit these shapes; if it is run, its own plan says so.
      try {
        infer_graph(graph, inner, options_);
      } catch (const Error&) {
        for (const ir::Value* output : graph.outputs)
          if (!inner.type(output).known())
            inner.types[static_cast<size_t>(output->index)] = unknown_shape(output->type);
      }
    }
    for (int i = 0; i < output_count; ++i) {
      types_.push_back(std::make_unique<ir::Type>(inner.type(graph.outputs[static_cast<size_t>(i)])));
      outputs[i] = ir::to_abi(*types_.back(), &nested_);
    }
    if (options_.symbols)  // at load the inner values keep what was found, for placement
      for (const auto& value : graph.values) value->type = inner.type(value.get());
  }

 private:
  const ir::Node& node_;
  const og_node& view_;
  Facts& facts_;
  const InferOptions& options_;
  std::vector<std::unique_ptr<og_type>> nested_;
  std::vector<std::unique_ptr<ir::Type>> types_;
};

// What the file declares fills gaps; where it contradicts what was computed, what was computed holds.
void use_declared(const ir::Node& node, Facts& facts, const InferOptions& options) {
  for (const ir::Value* value : node.outputs) {
    if (!value || !value->declared.known()) continue;
    ir::Type& type = facts.types[static_cast<size_t>(value->index)];
    if (type.is_tensor() && value->declared.is_tensor() && type.dtype != any && value->declared.dtype != any &&
        type.dtype != value->declared.dtype)
      throw Error(ErrorCode::kInvalidModel, "output \"" + value->name + "\" is declared " +
                                                ir::to_string(value->declared, options.symbols) +
                                                ", but the operator gives " + ir::to_string(type, options.symbols));
    try {
      type = ir::merge(type, value->declared, options.symbols, value->name);
    } catch (const Error&) {
    }
  }
}

}  // namespace

Facts::Facts(const ir::Graph& graph)
    : types(graph.values.size()),
      constants(graph.values.size()),
      integers(graph.values.size()),
      integers_scalar(graph.values.size()) {
  for (const auto& value : graph.values) {
    const auto slot = static_cast<size_t>(value->index);
    if (value->constant && !value->is_input) {
      constants[slot] = value->constant;
      types[slot] = value->constant->type();
    }
  }
}

std::shared_ptr<const og_node> make_view(const ir::Node& node) {
  return std::make_shared<og_node>(node, node.op ? &node.op->signature : nullptr);
}

void infer_node(const ir::Node& node, const og_node& view, Facts& facts, const InferOptions& options) {
  NodeInfer context(node, view, facts, options);
  const auto fail = [&](const std::string& text) {
    constexpr int kListed = 16;
    const int count = node.explicit_inputs();
    std::string shapes;
    for (int i = 0; i < std::min(count, kListed); ++i) {
      const ir::Value* value = node.inputs[static_cast<size_t>(i)];
      shapes += (i ? ", " : "") + (value ? ir::to_string(facts.type(value), options.symbols) : std::string("-"));
    }
    if (count > kListed) shapes += ", and " + std::to_string(count - kListed) + " more";
    throw Error(ErrorCode::kInvalidModel, node.describe() + ": " + text + " (inputs: " + shapes + ")");
  };
  try {
    if (node.op->infer) {
      take_error();
      if (node.op->infer.fn(node.op->infer.user, &context) != 0) {
        const std::string text = take_error();
        fail(text.empty() ? "its inference failed without a reason" : text);
      }
    } else if (!infer_from_body(node, facts, options) && !node.inputs.empty() && node.inputs[0] &&
               !node.outputs.empty() && node.outputs[0]) {
      set_type(facts, node.outputs[0], facts.type(node.inputs[0]));
    }
    if (options.use_declared) use_declared(node, facts, options);
  } catch (const Error& error) {
    if (std::string(error.what()).find(node.describe()) != std::string::npos) throw;
    fail(error.what());
  }
  for (const ir::Value* value : node.outputs)
    if (value) settle_integers(facts, value);
}

void infer_graph(const ir::Graph& graph, Facts& facts, const InferOptions& options) {
  for (const auto& node : graph.nodes) infer_node(*node, *make_view(*node), facts, options);
}

void infer(ir::Model& model) {
  InferOptions options;
  options.symbols = &model.symbols;
  model.graph.renumber();
  Facts facts(model.graph);
  for (const ir::Value* input : model.graph.inputs) {
    ir::Type type = input->declared.known() ? input->declared : input->type;
    // A dim without a name is a dim of its own.
    for (int64_t& dim : type.dims)
      if (ir::is_unknown(dim)) dim = model.symbols.fresh();
    set_type(facts, input, type);
  }
  infer_graph(model.graph, facts, options);
  for (const auto& value : model.graph.values) {
    value->type = facts.type(value.get());
    const auto slot = static_cast<size_t>(value->index);
    value->integers = facts.integers[slot];
    value->integers_scalar = facts.integers_scalar[slot];
  }
}

}  // namespace opgraft::passes
