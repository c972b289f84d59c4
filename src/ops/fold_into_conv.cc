// Patterns that work constants behind a convolution into its weights and bias: batch normalization, scales, shifts.
#include <opgraft/conv.h>
#include <opgraft/fusion.h>
#include <opgraft/op.h>

#include <cmath>
using namespace opgraft;
namespace {

using Numbers = std::vector<double>;

const char* const kAttributes[] = {"auto_pad", "group",          "dilations",    "kernel_shape",
                                   "pads",     "output_padding", "output_shape", "strides"};

// The convolution "c" of inputs x, w, b at 0, 1, 2, with constant fp32 weights and, where it has one, bias.
class Weights {
 public:
  Weights(const Graph& g, bool transposed) : transposed_(transposed), group_(g.get("c.group", int64_t{1})) {
    const auto weights = g.value(1);
    if (g.dtype(0) != f32 || !weights || weights->dtype != f32 || group_ < 1) return;
    const Tensor tensor(*weights);
    dims_ = tensor.shape();
    if (dims_.size() < 3 || dims_[0] % group_ != 0) return;
    values_.assign(tensor.data<float>(), tensor.data<float>() + tensor.numel());
    bias_.assign(static_cast<size_t>(channels()), 0.0);
    if (g.has(2)) {
      const auto bias = channel_constant(g, 2, channels());
      if (!bias) return;
      bias_ = *bias;
    }
    usable_ = true;
  }
  bool usable() const { return usable_; }
  int64_t ndim() const { return static_cast<int64_t>(dims_.size()); }
  int64_t channels() const { return transposed_ ? dims_[1] * group_ : dims_[0]; }

  // The convolution of result y * scale + shift, in place of the pattern's.
  void replace(Graph& g, const Numbers& scale, const Numbers& shift) {
    const int64_t outer = transposed_ ? dims_[1] : 1;
    const int64_t rows = dims_[0] * outer;
    const int64_t taps = rows > 0 ? static_cast<int64_t>(values_.size()) / rows : 0;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t channel = transposed_ ? row / outer / (dims_[0] / group_) * outer + row % outer : row;
      for (int64_t i = row * taps; i < (row + 1) * taps; ++i)
        values_[static_cast<size_t>(i)] = static_cast<float>(static_cast<double>(values_[static_cast<size_t>(i)]) *
                                                             scale[static_cast<size_t>(channel)]);
    }
    std::vector<float> bias(bias_.size());
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(bias_[i] * scale[i] + shift[i]);
    g.constant("folded_weights", values_, dims_);
    g.constant("folded_bias", bias);
    NewNode node = g.node(transposed_ ? "ConvTranspose" : "Conv", {"x", "folded_weights", "folded_bias"}, {"y"});
    for (const char* name : kAttributes) node.attr_from((std::string("c.") + name).c_str(), name);
  }

 private:
  bool transposed_, usable_ = false;
  int64_t group_;
  Dims dims_;
  std::vector<float> values_;
  Numbers bias_;
};

template <bool kTransposed>
bool fold_batch_normalization(Graph& g) {
  Weights weights(g, kTransposed);
  if (!weights.usable() || g.get("y.training_mode", 0) != 0) return false;
  const int64_t count = weights.channels();
  std::optional<Numbers> statistics[4];
  for (int i = 0; i < 4; ++i)
    if (!(statistics[i] = channel_constant(g, 3 + i, count))) return false;
  const double epsilon = static_cast<double>(g.get("y.epsilon", 1e-5f));
  Numbers scale(static_cast<size_t>(count)), shift(scale.size());
  for (size_t i = 0; i < scale.size(); ++i) {
    scale[i] = (*statistics[0])[i] / std::sqrt((*statistics[3])[i] + epsilon);
    shift[i] = (*statistics[1])[i] - (*statistics[2])[i] * scale[i];
    if (!std::isfinite(scale[i]) || !std::isfinite(shift[i])) return false;
  }
  weights.replace(g, scale, shift);
  return true;
}

// The operand at index 3, when it is one constant per channel and does not add axes or sizes.
std::optional<Numbers> channel_operand(const Graph& g, const Weights& weights) {
  const Type type = g.type(3);
  if (!weights.usable() || !type.ranked || !only_axis(type.dims, weights.ndim(), 1)) return std::nullopt;
  return channel_constant(g, 3, weights.channels());
}

template <bool kTransposed>
bool fold_scale(Graph& g) {
  if (!g.value(3)) return false;
  Weights weights(g, kTransposed);
  const auto scale = channel_operand(g, weights);
  if (!scale) return false;
  weights.replace(g, *scale, Numbers(scale->size(), 0.0));
  return true;
}

template <bool kTransposed>
bool fold_shift(Graph& g) {
  if (!g.value(3)) return false;
  Weights weights(g, kTransposed);
  const auto shift = channel_operand(g, weights);
  if (!shift) return false;
  weights.replace(g, Numbers(shift->size(), 1.0), *shift);
  return true;
}

void define_patterns(og_registrar* raw) {
  Registrar registrar(raw);
  registrar.pattern("conv_batch_normalization", "c = Conv(x, w, b?); y = BatchNormalization(c, s, o, m, v)", 90,
                    &fold_batch_normalization<false>);
  registrar.pattern("conv_transpose_batch_normalization",
                    "c = ConvTranspose(x, w, b?); y = BatchNormalization(c, s, o, m, v)", 90,
                    &fold_batch_normalization<true>);
  registrar.pattern("conv_scale", "c = Conv(x, w, b?); y = Mul(c, k)", 90, &fold_scale<false>);
  registrar.pattern("conv_transpose_scale", "c = ConvTranspose(x, w, b?); y = Mul(c, k)", 90, &fold_scale<true>);
  registrar.pattern("conv_shift", "c = Conv(x, w, b?); y = Add(c, k)", 90, &fold_shift<false>);
  registrar.pattern("conv_transpose_shift", "c = ConvTranspose(x, w, b?); y = Add(c, k)", 90, &fold_shift<true>);
}

const AtLoad patterns{&define_patterns};

}  // namespace
