// What LSTM, GRU and RNN share: shapes, sequence lengths, activation functions of gates, products with weights.
#ifndef OPGRAFT_RECURRENT_H_
#define OPGRAFT_RECURRENT_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

// ---- shapes ----

struct RecurrentShape {
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, directions = 1;
  bool batch_first = false, reversed = false;  // attributes layout = 1, direction = reverse

  bool is_reverse(int64_t direction) const { return reversed || direction == 1; }
  int64_t x_row(int64_t step, int64_t entry) const { return batch_first ? entry * steps + step : step * batch + entry; }
  // Element offsets of one hidden vector in Y, and in states.
  int64_t y_offset(int64_t step, int64_t direction, int64_t entry) const {
    return hidden * (batch_first ? (entry * steps + step) * directions + direction
                                 : (step * directions + direction) * batch + entry);
  }
  int64_t state_offset(int64_t direction, int64_t entry) const {
    return hidden * (batch_first ? entry * directions + direction : direction * batch + entry);
  }
};

inline int64_t recurrent_directions(const Node& node) {
  const std::string text = node.get("direction", "forward");
  if (text == "bidirectional") return 2;
  if (text == "forward" || text == "reverse") return 1;
  fail("direction = \"" + text + "\" is unknown; it must be forward, reverse or bidirectional");
}

// From the attributes and the dims of X (input 0) and R (input 2).
inline RecurrentShape recurrent_shape(const Node& node, const Dims& x, const Dims& r) {
  RecurrentShape shape;
  shape.batch_first = node.get("layout", int64_t{0}) != 0;
  shape.reversed = std::string(node.get("direction", "forward")) == "reverse";
  shape.directions = recurrent_directions(node);
  shape.steps = x[shape.batch_first ? 1 : 0];
  shape.batch = x[shape.batch_first ? 0 : 1];
  shape.input = x[2];
  shape.hidden = r[2];
  return shape;
}

// Infers Y and `states` final states; inputs X, W, R, B, sequence_lens and initial states at 0 .. 4 + states.
inline void infer_recurrent(Infer& c, int64_t gates, int states) {
  const int64_t directions = recurrent_directions(c);
  const bool batch_first = c.get("layout", int64_t{0}) != 0;
  int64_t hidden = c.get("hidden_size", kUnknown);
  if (is_symbol(hidden) && c.ranked(2)) hidden = c.dim(2, 2);
  const auto check = [&](int index, const char* name, const Dims& wanted) {
    if (!c.has(index) || !c.ranked(index)) return;
    const Dims found = c.dims(index);
    bool fits = found.size() == wanted.size();
    for (size_t i = 0; fits && i < found.size(); ++i)
      fits = is_symbol(found[i]) || is_symbol(wanted[i]) || found[i] == wanted[i];
    if (!fits) fail(std::string(name) + " has dims " + to_string(found) + ", expected " + to_string(wanted));
  };
  check(0, "X", {kUnknown, kUnknown, kUnknown});
  const int64_t steps = c.dim(0, batch_first ? 1 : 0), batch = c.dim(0, batch_first ? 0 : 1);
  check(1, "W", {directions, c.mul(gates, hidden), c.dim(0, 2)});
  check(2, "R", {directions, c.mul(gates, hidden), hidden});
  check(3, "B", {directions, c.mul(2 * gates, hidden)});
  check(4, "sequence_lens", {batch});
  const Dims state = batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
  check(5, "initial_h", state);
  if (states > 1) check(6, "initial_c", state);
  c.out(0, c.dtype(0), batch_first ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
  for (int i = 1; i < std::min(c.output_count(), 1 + states); ++i) c.out(i, c.dtype(0), state);
}

// Lengths of the sequences of a batch; empty when all have the full length.
inline std::vector<int64_t> sequence_lengths(const Run& r, const RecurrentShape& shape) {
  std::vector<int64_t> lengths;
  if (!r.has(4)) return lengths;
  const int32_t* given = r.in<int32_t>(4);
  bool full = true;
  for (int64_t i = 0; i < shape.batch; ++i) {
    if (given[i] < 0 || given[i] > shape.steps)
      fail("sequence_lens[" + std::to_string(i) + "] = " + std::to_string(given[i]) + " is not in [0, " +
           std::to_string(shape.steps) + "]");
    full = full && given[i] == shape.steps;
  }
  if (!full) lengths.assign(given, given + shape.batch);
  return lengths;
}

// ---- activation functions ----

enum class GateFunction {
  sigmoid,
  tanh,
  relu,
  affine,
  leaky_relu,
  thresholded_relu,
  scaled_tanh,
  hard_sigmoid,
  elu,
  softsign,
  softplus
};

struct GateActivation {
  GateFunction function = GateFunction::sigmoid;
  float alpha = 0, beta = 0;

  template <class T>
  T operator()(T x) const {
    const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
    switch (function) {
      case GateFunction::sigmoid:
        return T(1) / (T(1) + std::exp(-x));
      case GateFunction::tanh:
        return std::tanh(x);
      case GateFunction::relu:
        return x < 0 ? T(0) : x;
      case GateFunction::affine:
        return a * x + b;
      case GateFunction::leaky_relu:
        return x < 0 ? a * x : x;
      case GateFunction::thresholded_relu:
        return x > a ? x : T(0);
      case GateFunction::scaled_tanh:
        return a * std::tanh(b * x);
      case GateFunction::hard_sigmoid:
        return std::min(T(1), std::max(T(0), a * x + b));
      case GateFunction::elu:
        return x < 0 ? a * std::expm1(x) : x;
      case GateFunction::softsign:
        return x / (T(1) + std::abs(x));
      case GateFunction::softplus:
        return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    }
    return x;
  }
};

struct GateFunctionInfo {
  const char* name;  // in lower case
  GateFunction function;
  bool takes_alpha, takes_beta;
  float alpha, beta;  // defaults: those of the ONNX operators of these names
};
inline constexpr GateFunctionInfo kGateFunctions[] = {
    {"sigmoid", GateFunction::sigmoid, false, false, 0, 0},
    {"tanh", GateFunction::tanh, false, false, 0, 0},
    {"relu", GateFunction::relu, false, false, 0, 0},
    {"affine", GateFunction::affine, true, true, 1, 0},
    {"leakyrelu", GateFunction::leaky_relu, true, false, 0.01f, 0},
    {"thresholdedrelu", GateFunction::thresholded_relu, true, false, 1, 0},
    {"scaledtanh", GateFunction::scaled_tanh, true, true, 1, 1},
    {"hardsigmoid", GateFunction::hard_sigmoid, true, true, 0.2f, 0.5f},
    {"elu", GateFunction::elu, true, false, 1, 0},
    {"softsign", GateFunction::softsign, false, false, 0, 0},
    {"softplus", GateFunction::softplus, false, false, 0, 0},
};

// Attributes activations, activation_alpha and activation_beta: for each direction one function per entry of
// `otherwise`. Alphas and betas are taken in order by the functions that have them.
inline std::vector<GateActivation> gate_activations(const Node& node, const std::vector<std::string>& otherwise) {
  const auto count = otherwise.size() * static_cast<size_t>(recurrent_directions(node));
  std::vector<std::string> names = node.strings("activations");
  if (names.empty())
    for (size_t i = 0; i < count; ++i) names.push_back(otherwise[i % otherwise.size()]);
  if (names.size() < count)
    fail("activations has " + std::to_string(names.size()) + " entries, " + std::to_string(count) + " are needed");
  const std::vector<float> alphas = node.floats("activation_alpha"), betas = node.floats("activation_beta");
  size_t alpha = 0, beta = 0;
  std::vector<GateActivation> result;
  for (size_t i = 0; i < count; ++i) {
    std::string name = names[i];
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    const auto* found = std::find_if(std::begin(kGateFunctions), std::end(kGateFunctions),
                                     [&](const GateFunctionInfo& info) { return name == info.name; });
    if (found == std::end(kGateFunctions))
      fail("activation \"" + names[i] +
           "\" is unknown; known are Sigmoid, Tanh, Relu, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, "
           "Elu, Softsign, Softplus");
    GateActivation activation{found->function, found->alpha, found->beta};
    if (found->takes_alpha && alpha < alphas.size()) activation.alpha = alphas[alpha++];
    if (found->takes_beta && beta < betas.size()) activation.beta = betas[beta++];
    result.push_back(activation);
  }
  return result;
}

// x = activation(clip(x)); clip <= 0: none. `math` may be null.
template <class T>
void activate_gate(const GateActivation& activation, T clip, T* x, int64_t count, const og_cpu_math* math) {
  if (clip > 0)
    for (int64_t i = 0; i < count; ++i) x[i] = std::min(clip, std::max(-clip, x[i]));
  if constexpr (std::is_same_v<T, float>) {
    if (math && activation.function == GateFunction::sigmoid) return math->sigmoid(x, x, count);
    if (math && activation.function == GateFunction::tanh) return math->tanh(x, x, count);
  }
  for (int64_t i = 0; i < count; ++i) x[i] = activation(x[i]);
}

// ---- products with weights [directions, gates * hidden, k] ----

// y [m, n] = x [m, k] * w^T + bias, or y += x * w^T, for n = gates [first, first + count) of one direction's weights.
template <class T>
class GateProduct {
 public:
  static bool available() { return true; }
  void pack(Pack&, int, int64_t, int64_t first, int64_t count) {
    first_ = first;
    count_ = count;
  }
  uint64_t scratch_bytes(const RecurrentShape&, int64_t, int64_t, int) const { return 0; }
  // `w`: the weights of all directions; `all`: gates in them.
  void run(const RecurrentShape& shape, const T* w, int64_t all, int64_t k, int64_t direction, int64_t m, const T* x,
           int64_t ldx, T* y, int64_t ldy, const T* bias, void*, const og_parallel*) const {
    const int64_t n = count_ * shape.hidden;
    const T* matrix = w + (direction * all + first_) * shape.hidden * k;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = bias ? bias[j] : y[i * ldy + j];
        for (int64_t at = 0; at < k; ++at) sum += x[i * ldx + at] * matrix[j * k + at];
        y[i * ldy + j] = sum;
      }
  }

 private:
  int64_t first_ = 0, count_ = 1;
};

// On the GEMM service, with constant weights packed once.
template <>
class GateProduct<float> {
 public:
  static bool available() { return service<og_cpu_gemm>(OG_CPU_GEMM) != nullptr; }
  void pack(Pack& p, int input, int64_t all, int64_t first, int64_t count) {
    table_ = service<og_cpu_gemm>(OG_CPU_GEMM);
    first_ = first;
    count_ = count;
    const auto weights = p.constant(input);
    if (!weights) return;
    const Tensor tensor(*weights);
    if (tensor.ndim() != 3) fail("weights must have rank 3, they have dims " + to_string(tensor.shape()));
    const int64_t hidden = tensor.dim(1) / all, k = tensor.dim(2);
    const og_gemm gemm = description(1, count * hidden, k);
    for (int64_t direction = 0; direction < tensor.dim(0); ++direction) {
      void* memory = p.buffer<char>(table_->packed_b_bytes(&gemm));
      const float* matrix = tensor.data<float>() + (direction * all + first) * hidden * k;
      if (table_->pack_b(&gemm, matrix, memory) != 0) fail("the GEMM service refused to pack the weights");
      packed_.push_back(memory);
    }
  }
  uint64_t scratch_bytes(const RecurrentShape& shape, int64_t m, int64_t k, int threads) const {
    og_gemm gemm = description(m, count_ * shape.hidden, k);
    if (!packed_.empty()) gemm.flags |= OG_GEMM_PACKED_B;
    return table_->scratch_bytes(&gemm, threads);
  }
  void run(const RecurrentShape& shape, const float* w, int64_t all, int64_t k, int64_t direction, int64_t m,
           const float* x, int64_t ldx, float* y, int64_t ldy, const float* bias, void* scratch,
           const og_parallel* parallel) const {
    og_gemm gemm = description(m, count_ * shape.hidden, k);
    gemm.lda = ldx;
    gemm.ldc = ldy;
    og_epilogue epilogue = og_epilogue_init();
    epilogue.bias_n = bias;
    if (!bias) {
      epilogue.residual = y;
      epilogue.residual_ld = ldy;
    }
    const void* matrix = w + (direction * all + first_) * shape.hidden * k;
    if (!packed_.empty()) {
      gemm.flags |= OG_GEMM_PACKED_B;
      matrix = packed_[static_cast<size_t>(direction)];
    }
    if (table_->run(&gemm, x, matrix, y, &epilogue, scratch, parallel) != 0)
      fail("the GEMM service refused the product with the weights");
  }

 private:
  static og_gemm description(int64_t m, int64_t n, int64_t k) {
    og_gemm gemm = og_gemm_init(m, n, k);
    gemm.flags = OG_GEMM_TRANS_B;
    return gemm;
  }
  const og_cpu_gemm* table_ = nullptr;
  std::vector<const void*> packed_;  // by direction; empty when the weights are not constant
  int64_t first_ = 0, count_ = 1;
};

// ---- states and steps ----

template <class T>
void load_state(const Run& r, const RecurrentShape& s, int input, int64_t direction, T* state) {
  for (int64_t entry = 0; entry < s.batch; ++entry) {
    T* to = state + entry * s.hidden;
    if (r.has(input))
      std::copy_n(r.in<T>(input) + s.state_offset(direction, entry), s.hidden, to);
    else
      std::fill_n(to, s.hidden, T(0));
  }
}

template <class T>
void store_state(const Run& r, const RecurrentShape& s, int output, int64_t direction, const T* state) {
  if (!r.uses_output(output)) return;
  for (int64_t entry = 0; entry < s.batch; ++entry)
    std::copy_n(state + entry * s.hidden, s.hidden, r.out<T>(output) + s.state_offset(direction, entry));
}

// bias = the biases of input and state of one direction (input 3), added up for the first `shared` of `gates` gates.
template <class T>
void sum_biases(const Run& r, const RecurrentShape& s, int64_t direction, int64_t gates, int64_t shared, T* bias) {
  const int64_t width = gates * s.hidden;
  std::fill_n(bias, width, T(0));
  if (!r.has(3)) return;
  const T* given = r.in<T>(3) + direction * 2 * width;
  for (int64_t i = 0; i < width; ++i) bias[i] = given[i] + (i < shared * s.hidden ? given[width + i] : T(0));
}

// The order in which one direction visits the steps of each sequence.
class StepOrder {
 public:
  StepOrder(const RecurrentShape& shape, const std::vector<int64_t>& lengths, int64_t direction)
      : shape_(shape), lengths_(lengths), reverse_(shape.is_reverse(direction)) {}
  // The time step of one entry of the batch; -1 when its sequence is over.
  int64_t time(int64_t step, int64_t entry) const {
    const int64_t length = lengths_.empty() ? shape_.steps : lengths_[static_cast<size_t>(entry)];
    return step >= length ? -1 : reverse_ ? length - 1 - step : step;
  }
  // The rows of all entries at one step, from rows for all times: where they lie when they lie together, else a copy
  // in `buffer`.
  template <class T>
  T* rows(int64_t step, T* all, int64_t width, T* buffer) const {
    if (shape_.batch == 1 || (lengths_.empty() && !shape_.batch_first))
      return all + shape_.x_row(std::max<int64_t>(0, time(step, 0)), 0) * width;
    for (int64_t entry = 0; entry < shape_.batch; ++entry)
      std::copy_n(all + shape_.x_row(std::max<int64_t>(0, time(step, entry)), entry) * width, width,
                  buffer + entry * width);
    return buffer;
  }

 private:
  const RecurrentShape& shape_;
  const std::vector<int64_t>& lengths_;
  bool reverse_;
};

// Products this small are not worth waking threads for.
inline const og_parallel* parallel_for_product(const Run& r, int64_t m, int64_t n, int64_t k) {
  return m * n * k < (int64_t{1} << 20) ? nullptr : r.parallel();
}

// Parts of one scratch buffer, each 64-byte aligned.
class ScratchParts {
 public:
  explicit ScratchParts(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}
  template <class T>
  T* take(int64_t count) {
    T* part = reinterpret_cast<T*>(memory_ + used_);
    used_ += (static_cast<uint64_t>(count) * sizeof(T) + 63) / 64 * 64;
    return part;
  }
  uint64_t used() const { return used_; }

 private:
  char* memory_;
  uint64_t used_ = 0;
};

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_RECURRENT_H_
