// Tools for fused operators and the patterns that make them: activations at the end of an operator, constants, weights.
#ifndef OPGRAFT_FUSION_H_
#define OPGRAFT_FUSION_H_

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

// Attributes: `activation`, one of these names or "" for none, and its parameters `activation_a`, `activation_b`.
struct ActivationName {
  const char* name;
  og_activation kind;
};
inline constexpr ActivationName kActivationNames[] = {
    {"", OG_ACT_NONE},
    {"Relu", OG_ACT_RELU},
    {"Clip", OG_ACT_CLIP},  // a, b: bounds
    {"Sigmoid", OG_ACT_SIGMOID},
    {"Silu", OG_ACT_SILU},  // x * Sigmoid(x)
    {"HardSwish", OG_ACT_HARD_SWISH},
    {"HardSigmoid", OG_ACT_HARD_SIGMOID},  // a, b: alpha, beta
    {"Tanh", OG_ACT_TANH},
    {"Gelu", OG_ACT_GELU_ERF},
    {"GeluTanh", OG_ACT_GELU_TANH},
    {"LeakyRelu", OG_ACT_LEAKY_RELU},  // a: alpha
};

struct Activation {
  og_activation kind = OG_ACT_NONE;
  float a = 0, b = 0;

  Activation() = default;
  explicit Activation(const Node& node) : a(node.get("activation_a", 0.0f)), b(node.get("activation_b", 0.0f)) {
    const std::string name = node.get("activation", "");
    for (const auto& known : kActivationNames)
      if (name == known.name) {
        kind = known.kind;
        return;
      }
    fail("activation = \"" + name + "\" is unknown");
  }
  void fill(og_epilogue& epilogue) const {
    epilogue.activation = kind;
    epilogue.a = a;
    epilogue.b = b;
  }
};

inline Op& define_activation(Op& op) {
  return op.attr("activation", "").attr("activation_a", 0.0f).attr("activation_b", 0.0f);
}

// The nodes of the activation of the node being replaced; `like`: an input with the element type.
inline void add_activation(Graph& g, const char* input, const char* output, int like) {
  const std::string name = g.get("activation", "");
  const float a = g.get("activation_a", 0.0f), b = g.get("activation_b", 0.0f);
  if (name.empty()) {
    g.node("Identity", {input}, {output});
  } else if (name == "Clip") {
    g.scalar_like("low", static_cast<double>(a), like);
    g.scalar_like("high", static_cast<double>(b), like);
    g.node("Clip", {input, "low", "high"}, {output});
  } else if (name == "Silu") {
    g.node("Sigmoid", {input}, {"gate"});
    g.node("Mul", {input, "gate"}, {output});
  } else if (name == "HardSigmoid") {
    g.node("HardSigmoid", {input}, {output}).attr("alpha", a).attr("beta", b);
  } else if (name == "GeluTanh") {
    g.node("Gelu", {input}, {output}).attr("approximate", "tanh");
  } else if (name == "LeakyRelu") {
    g.node("LeakyRelu", {input}, {output}).attr("alpha", a);
  } else {
    g.node(name.c_str(), {input}, {output});
  }
}

// ---- helpers of fusion patterns ----

// A constant of one element as a number.
inline std::optional<double> scalar_constant(const Graph& g, int index) {
  const auto value = g.value(index);
  if (!value || value->kind != OG_TENSOR) return std::nullopt;
  const Tensor tensor(*value);
  if (tensor.numel() != 1) return std::nullopt;
  switch (tensor.dtype()) {
    case f32:
      return static_cast<double>(*tensor.data<float>());
    case f64:
      return *tensor.data<double>();
    case i64:
      return static_cast<double>(*tensor.data<int64_t>());
    default:
      return std::nullopt;
  }
}
inline bool is_scalar_constant(const Graph& g, int index, double wanted, double tolerance = 1e-6) {
  const auto value = scalar_constant(g, index);
  return value && *value >= wanted - tolerance && *value <= wanted + tolerance;
}

// Values of a constant f32 tensor of `count` elements, or of one element repeated; nothing otherwise.
inline std::optional<std::vector<double>> channel_constant(const Graph& g, int index, int64_t count) {
  const auto value = g.value(index);
  if (!value || value->kind != OG_TENSOR || value->dtype != f32) return std::nullopt;
  const Tensor tensor(*value);
  if (tensor.numel() != count && tensor.numel() != 1) return std::nullopt;
  std::vector<double> result(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    result[static_cast<size_t>(i)] = static_cast<double>(tensor.data<float>()[tensor.numel() == 1 ? 0 : i]);
  return result;
}

// True when dims, put at the end of a shape of rank `ndim`, touch `axis` alone: all others are 1.
inline bool only_axis(const Dims& dims, int64_t ndim, int64_t axis) {
  const int64_t lead = ndim - static_cast<int64_t>(dims.size());
  if (lead < 0) return false;
  for (size_t i = 0; i < dims.size(); ++i)
    if (static_cast<int64_t>(i) + lead != axis && dims[i] != 1) return false;
  return true;
}

// Calls define when the plug-in is loaded: `static const AtLoad patterns{&define_patterns};` at namespace scope.
class AtLoad {
 public:
  explicit AtLoad(void (*define)(og_registrar*)) : definition_{define, nullptr}, link_(definition_) {}

 private:
  detail::RegistrarDefinition definition_;
  detail::Link link_;
};

// Activations behind "c", the result of the operator that takes them in. `text` follows "c = ...; ".
struct ActivationPattern {
  const char* name;
  const char* text;
};
inline constexpr ActivationPattern kActivationPatterns[] = {
    {"relu", "y = Relu(c)"},
    {"clip", "y = Clip(c, low?, high?)"},
    {"sigmoid", "y = Sigmoid(c)"},
    {"silu", "s = Sigmoid(c); y = Mul(c, s)"},
    {"hard_swish", "y = HardSwish(c)"},
    {"hard_sigmoid", "y = HardSigmoid(c)"},
    {"tanh", "y = Tanh(c)"},
    {"gelu", "y = Gelu(c)"},
    {"leaky_relu", "y = LeakyRelu(c)"},
};
inline constexpr size_t kActivationPatternCount = sizeof(kActivationPatterns) / sizeof(kActivationPatterns[0]);

// The activation that pattern `which` matched. `inputs`: number of inputs that the pattern's first part has.
inline std::optional<Activation> matched_activation(const Graph& g, size_t which, int inputs) {
  constexpr og_activation kKinds[] = {OG_ACT_RELU, OG_ACT_CLIP,       OG_ACT_SIGMOID,
                                      OG_ACT_SILU, OG_ACT_HARD_SWISH, OG_ACT_HARD_SIGMOID,
                                      OG_ACT_TANH, OG_ACT_GELU_ERF,   OG_ACT_LEAKY_RELU};
  Activation activation;
  activation.kind = kKinds[which];
  if (activation.kind == OG_ACT_CLIP) {
    const auto low = g.has(inputs) ? scalar_constant(g, inputs) : std::optional<double>(-INFINITY);
    const auto high = g.has(inputs + 1) ? scalar_constant(g, inputs + 1) : std::optional<double>(INFINITY);
    if (!low || !high || !(*low <= *high)) return std::nullopt;
    activation.a = static_cast<float>(*low);
    activation.b = static_cast<float>(*high);
  } else if (activation.kind == OG_ACT_HARD_SIGMOID) {
    activation.a = g.get("y.alpha", 0.2f);
    activation.b = g.get("y.beta", 0.5f);
  } else if (activation.kind == OG_ACT_LEAKY_RELU) {
    activation.a = g.get("y.alpha", 0.01f);
  } else if (activation.kind == OG_ACT_GELU_ERF && g.get("y.approximate", "none") == "tanh") {
    activation.kind = OG_ACT_GELU_TANH;
  }
  return activation;
}

inline const char* activation_name(og_activation kind) {
  for (const auto& known : kActivationNames)
    if (known.kind == kind) return known.name;
  return "";
}

inline void set_activation(NewNode& node, const Activation& activation) {
  node.attr("activation", activation_name(activation.kind))
      .attr("activation_a", activation.a)
      .attr("activation_b", activation.b);
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_FUSION_H_
