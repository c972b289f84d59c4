// Patterns that turn a layer normalization written out in small operators into one LayerNormalization.
#include <opgraft/fusion.h>
#include <opgraft/op.h>

#include <algorithm>
using namespace opgraft;
namespace {

// The axes of a ReduceMean, counted from the front: consecutive up to the last one. Nothing when they are others.
std::optional<int64_t> first_of_last_axes(const Graph& g, int index, int64_t ndim) {
  const auto value = g.value(index);
  if (!value || value->dtype != i64) return std::nullopt;
  std::vector<int64_t> axes = Tensor(*value).integers();
  if (axes.empty()) return std::nullopt;
  for (int64_t& axis : axes) {
    if (axis < -ndim || axis >= ndim) return std::nullopt;
    if (axis < 0) axis += ndim;
  }
  std::sort(axes.begin(), axes.end());
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != ndim - static_cast<int64_t>(axes.size() - i)) return std::nullopt;
  return axes.front();
}

// Whether a scale or bias has exactly the dims that are normalized.
bool covers(const Type& type, const Dims& x, int64_t axis) {
  return type.ranked && type.dims == Dims(x.begin() + axis, x.end()) &&
         std::none_of(type.dims.begin(), type.dims.end(), [](int64_t dim) { return is_symbol(dim); });
}

struct Inputs {
  int exponent, variance_axes, epsilon, scale, bias;  // exponent -1: the square is a product
};

bool layer_normalization(Graph& g, const Inputs& at) {
  const Type x = g.type(0);
  if (!x.ranked || (x.dtype != f32 && x.dtype != f64)) return false;
  const auto ndim = static_cast<int64_t>(x.dims.size());
  const auto axis = first_of_last_axes(g, 1, ndim), same = first_of_last_axes(g, at.variance_axes, ndim);
  const auto epsilon = scalar_constant(g, at.epsilon);
  const bool keep = g.get("u.keepdims", 1) != 0 && g.get("v.keepdims", 1) != 0;
  if (!axis || !same || *axis != *same || !epsilon || !keep) return false;
  if (at.exponent >= 0 && !is_scalar_constant(g, at.exponent, 2.0, 0.0)) return false;
  if (!covers(g.type(at.scale), x.dims, *axis) || !covers(g.type(at.bias), x.dims, *axis)) return false;
  g.node("LayerNormalization", {"x", "scale", "bias"}, {"y"})
      .attr("axis", *axis)
      .attr("epsilon", static_cast<float>(*epsilon));
  return true;
}

// Inputs x, axes, two, axes2, epsilon, scale, bias.
bool with_power(Graph& g) { return layer_normalization(g, {2, 3, 4, 5, 6}); }
// Inputs x, axes, axes2, epsilon, scale, bias.
bool with_product(Graph& g) { return layer_normalization(g, {-1, 2, 3, 4, 5}); }

void define_patterns(og_registrar* raw) {
  Registrar registrar(raw);
  constexpr int kPriority = 100;
  registrar.pattern("layer_normalization_power",
                    "u = ReduceMean(x, axes); d = Sub(x, u); p = Pow(d, two); v = ReduceMean(p, axes2);"
                    "n = Div(d, Sqrt(Add(v, epsilon))); y = Add(Mul(n, scale), bias)",
                    kPriority, &with_power);
  registrar.pattern("layer_normalization_product",
                    "u = ReduceMean(x, axes); d = Sub(x, u); p = Mul(d, d); v = ReduceMean(p, axes2);"
                    "n = Div(d, Sqrt(Add(v, epsilon))); y = Add(Mul(n, scale), bias)",
                    kPriority, &with_product);
}

const AtLoad patterns{&define_patterns};

}  // namespace
