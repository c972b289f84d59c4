// Patterns that turn activations written out in small operators (Gelu, HardSwish) into one operator.
#include <opgraft/fusion.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

constexpr double kSqrtHalf = 0.70710678118654752;

// Inputs x, k, one, half. `divides`: Erf takes x / k, else x * k.
bool gelu(Graph& g, bool divides) {
  const auto factor = scalar_constant(g, 1);
  if (!factor || !is_float(g.dtype(0)) || !is_scalar_constant(g, 2, 1.0) || !is_scalar_constant(g, 3, 0.5))
    return false;
  if (std::abs((divides ? 1.0 / *factor : *factor) - kSqrtHalf) > 1e-5) return false;
  g.node("Gelu", {"x"}, {"y"});
  return true;
}
bool gelu_divide(Graph& g) { return gelu(g, true); }
bool gelu_multiply(Graph& g) { return gelu(g, false); }

// Inputs x, three, low, high, six: x * clip(x + 3, 0, 6) / 6.
bool hard_swish(Graph& g) {
  if (!is_float(g.dtype(0)) || !is_scalar_constant(g, 1, 3.0) || !is_scalar_constant(g, 2, 0.0) ||
      !is_scalar_constant(g, 3, 6.0) || !is_scalar_constant(g, 4, 6.0))
    return false;
  g.node("HardSwish", {"x"}, {"y"});
  return true;
}

// Inputs x, three, low, high, sixth: x * clip(x + 3, 0, 6) * (1 / 6).
bool hard_swish_multiply(Graph& g) {
  if (!is_float(g.dtype(0)) || !is_scalar_constant(g, 1, 3.0) || !is_scalar_constant(g, 2, 0.0) ||
      !is_scalar_constant(g, 3, 6.0) || !is_scalar_constant(g, 4, 1.0 / 6.0, 1e-7))
    return false;
  g.node("HardSwish", {"x"}, {"y"});
  return true;
}

// x * hard_sigmoid(x) with alpha 1/6 and beta 1/2.
bool hard_swish_of_sigmoid(Graph& g) {
  const float alpha = g.get("h.alpha", 0.2f), beta = g.get("h.beta", 0.5f);
  if (!is_float(g.dtype(0)) || std::abs(alpha - 1.0f / 6.0f) > 1e-6f || beta != 0.5f) return false;
  g.node("HardSwish", {"x"}, {"y"});
  return true;
}

void define_patterns(og_registrar* raw) {
  Registrar registrar(raw);
  constexpr int kPriority = 100;
  registrar.pattern("gelu_divide_half_last", "e = Erf(Div(x, k)); y = Mul(Mul(x, Add(e, one)), half)", kPriority,
                    &gelu_divide);
  registrar.pattern("gelu_multiply_half_last", "e = Erf(Mul(x, k)); y = Mul(Mul(x, Add(e, one)), half)", kPriority,
                    &gelu_multiply);
  registrar.pattern("gelu_divide_half_first", "a = Add(Erf(Div(x, k)), one); h = Mul(x, half); y = Mul(h, a)",
                    kPriority, &gelu_divide);
  registrar.pattern("gelu_multiply_half_first", "a = Add(Erf(Mul(x, k)), one); h = Mul(x, half); y = Mul(h, a)",
                    kPriority, &gelu_multiply);
  registrar.pattern("gelu_divide_half_inside", "a = Add(Erf(Div(x, k)), one); h = Mul(a, half); y = Mul(x, h)",
                    kPriority, &gelu_divide);
  registrar.pattern("gelu_multiply_half_inside", "a = Add(Erf(Mul(x, k)), one); h = Mul(a, half); y = Mul(x, h)",
                    kPriority, &gelu_multiply);
  registrar.pattern("hard_swish_divide", "h = Clip(Add(x, three), low, high); y = Div(Mul(x, h), six)", kPriority,
                    &hard_swish);
  registrar.pattern("hard_swish_multiply", "h = Clip(Add(x, three), low, high); y = Mul(Mul(x, h), sixth)", kPriority,
                    &hard_swish_multiply);
  registrar.pattern("hard_swish_divide_first", "h = Clip(Add(x, three), low, high); y = Mul(x, Div(h, six))", kPriority,
                    &hard_swish);
  registrar.pattern("hard_swish_of_hard_sigmoid", "h = HardSigmoid(x); y = Mul(x, h)", kPriority,
                    &hard_swish_of_sigmoid);
}

const AtLoad patterns{&define_patterns};

}  // namespace
