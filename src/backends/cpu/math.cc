// The row mathematics service: elementary functions, activations, softmax, layer normalisation and reductions.
#include "backends/cpu/kernels.h"
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/math.cc"
#include "hwy/foreach_target.h"
// Behind foreach_target.h:
#include "backends/cpu/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {

HWY_INLINE int64_t lane_count() { return static_cast<int64_t>(hn::Lanes(F())); }

HWY_INLINE V load_part(const float* x, int64_t count, float fill) {
  const F d;
  HWY_ALIGN float part[HWY_MAX_BYTES / sizeof(float)];
  for (int64_t i = 0; i < lane_count(); ++i) part[i] = i < count ? x[i] : fill;
  return hn::Load(d, part);
}

HWY_INLINE void store_part(V v, float* y, int64_t count) {
  const F d;
  HWY_ALIGN float part[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, part);
  for (int64_t i = 0; i < count; ++i) y[i] = part[i];
}

// y = function(x), the rest of a row through a full vector.
template <class Function>
HWY_INLINE void map_row(const float* x, float* y, int64_t n, const Function& function) {
  const F d;
  const int64_t lanes = lane_count();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, y + i);
  if (i < n) store_part(function(load_part(x + i, n - i, 1.0f)), y + i, n - i);
}

struct Exp {
  HWY_INLINE V operator()(V x) const { return vector_exp(x); }
};
struct Log {
  HWY_INLINE V operator()(V x) const { return vector_log(x); }
};
struct Tanh {
  HWY_INLINE V operator()(V x) const { return vector_tanh(x); }
};
struct Sigmoid {
  HWY_INLINE V operator()(V x) const { return vector_sigmoid(x); }
};
struct Erf {
  HWY_INLINE V operator()(V x) const { return vector_erf(x); }
};
struct Silu {
  HWY_INLINE V operator()(V x) const { return vector_silu(x); }
};
struct GeluErf {
  HWY_INLINE V operator()(V x) const { return vector_gelu_erf(x); }
};
struct GeluTanh {
  HWY_INLINE V operator()(V x) const { return vector_gelu_tanh(x); }
};
struct Clip {
  float low, high;
  HWY_INLINE V operator()(V x) const {
    const F d;
    return at_most(at_least(x, hn::Set(d, low)), hn::Set(d, high));
  }
};
struct HardSigmoid {
  float alpha, beta;
  HWY_INLINE V operator()(V x) const {
    const F d;
    const V y = hn::MulAdd(x, hn::Set(d, alpha), hn::Set(d, beta));
    return at_most(at_least(y, hn::Zero(d)), hn::Set(d, 1.0f));
  }
};
struct HardSwish {
  HWY_INLINE V operator()(V x) const { return hn::Mul(x, HardSigmoid{1.0f / 6.0f, 0.5f}(x)); }
};
struct LeakyRelu {
  float alpha;
  HWY_INLINE V operator()(V x) const {
    const F d;
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, alpha)), x);
  }
};
struct Scale {
  float factor;
  HWY_INLINE V operator()(V x) const { return hn::Mul(x, hn::Set(F(), factor)); }
};
struct Subtract {
  float value;
  HWY_INLINE V operator()(V x) const { return hn::Sub(x, hn::Set(F(), value)); }
};

template <class Function>
HWY_ATTR void map_function(const float* x, float* y, int64_t n) {
  map_row(x, y, n, Function());
}

HWY_ATTR void relu(const float* x, float* y, int64_t n) { map_row(x, y, n, Clip{0.0f, __builtin_inff()}); }

HWY_ATTR void activate(int32_t activation, float a, float b, const float* x, float* y, int64_t n) {
  switch (activation) {
    case OG_ACT_RELU:
      return map_row(x, y, n, Clip{0.0f, __builtin_inff()});
    case OG_ACT_CLIP:
      return map_row(x, y, n, Clip{a, b});
    case OG_ACT_SIGMOID:
      return map_row(x, y, n, Sigmoid());
    case OG_ACT_SILU:
      return map_row(x, y, n, Silu());
    case OG_ACT_HARD_SWISH:
      return map_row(x, y, n, HardSwish());
    case OG_ACT_HARD_SIGMOID:
      return map_row(x, y, n, HardSigmoid{a, b});
    case OG_ACT_TANH:
      return map_row(x, y, n, Tanh());
    case OG_ACT_GELU_ERF:
      return map_row(x, y, n, GeluErf());
    case OG_ACT_GELU_TANH:
      return map_row(x, y, n, GeluTanh());
    case OG_ACT_LEAKY_RELU:
      return map_row(x, y, n, LeakyRelu{a});
    default:
      if (x != y)
        for (int64_t i = 0; i < n; ++i) y[i] = x[i];
  }
}

struct Sum {
  HWY_INLINE V operator()(V sum, V x) const { return hn::Add(sum, x); }
};
struct SumOfSquares {
  HWY_INLINE V operator()(V sum, V x) const { return hn::MulAdd(x, x, sum); }
};
struct Maximum {
  HWY_INLINE V operator()(V most, V x) const { return nan_max(most, x); }
};
struct Minimum {
  HWY_INLINE V operator()(V least, V x) const { return nan_min(least, x); }
};

// Reduces a row to one vector; lanes behind the end take `fill`.
template <class Step, class Join>
HWY_INLINE V reduce_row(const float* x, int64_t n, float start, float fill, const Step& step, const Join& join) {
  const F d;
  const int64_t lanes = lane_count();
  V a = hn::Set(d, start);
  V b = a;
  V c = a;
  V e = a;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = step(a, hn::LoadU(d, x + i));
    b = step(b, hn::LoadU(d, x + i + lanes));
    c = step(c, hn::LoadU(d, x + i + 2 * lanes));
    e = step(e, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a = step(a, hn::LoadU(d, x + i));
  if (i < n) b = step(b, load_part(x + i, n - i, fill));
  return join(join(a, b), join(c, e));
}

HWY_INLINE float sum_lanes(V v) { return hn::GetLane(hn::SumOfLanes(F(), v)); }

// In blocks, so that the error of a long sum stays small.
template <class Step>
HWY_INLINE float sum_blocks(const float* x, int64_t n, float fill, const Step& step) {
  const int64_t block = 256 * lane_count();
  double total = 0.0;
  for (int64_t i = 0; i < n; i += block)
    total += static_cast<double>(sum_lanes(reduce_row(x + i, n - i < block ? n - i : block, 0.0f, fill, step, Sum())));
  return static_cast<float>(total);
}

HWY_ATTR float row_sum(const float* x, int64_t n) { return sum_blocks(x, n, 0.0f, Sum()); }

HWY_ATTR float row_sum_of_squares(const float* x, int64_t n) { return sum_blocks(x, n, 0.0f, SumOfSquares()); }

HWY_ATTR float row_max(const float* x, int64_t n) {
  const float lowest = -__builtin_inff();
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(reduce_row(x, n, lowest, lowest, Maximum(), Maximum()), F(), lanes);
  float most = lowest;
  for (int64_t i = 0; i < lane_count(); ++i) most = lanes[i] > most || lanes[i] != lanes[i] ? lanes[i] : most;
  return most;
}

HWY_ATTR float row_min(const float* x, int64_t n) {
  const float highest = __builtin_inff();
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(reduce_row(x, n, highest, highest, Minimum(), Minimum()), F(), lanes);
  float least = highest;
  for (int64_t i = 0; i < lane_count(); ++i) least = lanes[i] < least || lanes[i] != lanes[i] ? lanes[i] : least;
  return least;
}

HWY_ATTR float row_dot(const float* x, const float* y, int64_t n) {
  const F d;
  const int64_t lanes = lane_count();
  V a = hn::Zero(d);
  V b = a;
  V c = a;
  V e = a;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
    b = hn::MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), b);
    c = hn::MulAdd(hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes), c);
    e = hn::MulAdd(hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes), e);
  }
  for (; i + lanes <= n; i += lanes) a = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), a);
  float total = sum_lanes(hn::Add(hn::Add(a, b), hn::Add(c, e)));
  for (; i < n; ++i) total += x[i] * y[i];
  return total;
}

// y = exp(x - most); returns the sum of y.
HWY_INLINE float exp_and_sum(const float* x, float most, float* y, int64_t n) {
  const F d;
  const int64_t lanes = lane_count();
  const V shift = hn::Set(d, most);
  V sum = hn::Zero(d);
  V other = sum;
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V a = vector_exp_negative(hn::Sub(hn::LoadU(d, x + i), shift));
    const V b = vector_exp_negative(hn::Sub(hn::LoadU(d, x + i + lanes), shift));
    if (y != nullptr) {
      hn::StoreU(a, d, y + i);
      hn::StoreU(b, d, y + i + lanes);
    }
    sum = hn::Add(sum, a);
    other = hn::Add(other, b);
  }
  for (; i < n; i += lanes) {
    const int64_t count = n - i < lanes ? n - i : lanes;
    const V v = vector_exp_negative(hn::Sub(load_part(x + i, count, -__builtin_inff()), shift));
    if (y != nullptr) store_part(v, y + i, count);
    sum = hn::Add(sum, v);
  }
  return sum_lanes(hn::Add(sum, other));
}

HWY_ATTR void softmax(const float* x, float* y, int64_t n) {
  if (n <= 0) return;
  const float total = exp_and_sum(x, row_max(x, n), y, n);
  map_row(y, y, n, Scale{1.0f / total});
}

HWY_ATTR void log_softmax(const float* x, float* y, int64_t n) {
  if (n <= 0) return;
  const float most = row_max(x, n);
  float total = exp_and_sum(x, most, nullptr, n);
  map_row(&total, &total, 1, Log());
  const F d;
  const int64_t lanes = lane_count();
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, most)), hn::Set(d, total)), d, y + i);
  for (; i < n; ++i) y[i] = (x[i] - most) - total;
}

HWY_ATTR void layer_norm(const float* x, const float* scale, const float* bias, float epsilon, float* y, int64_t n,
                         float* mean_out, float* inv_std_out) {
  const F d;
  const int64_t lanes = lane_count();
  const double count = static_cast<double>(n > 0 ? n : 1);
  const float about = static_cast<float>(static_cast<double>(row_sum(x, n)) / count);
  // Differences from a value near the mean are exact where the sums of squares themselves would cancel; their own mean
  // is what `about` lacks.
  const V shift = hn::Set(d, about);
  V sum = hn::Zero(d);
  V squares = sum;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V difference = hn::Sub(hn::LoadU(d, x + i), shift);
    sum = hn::Add(sum, difference);
    squares = hn::MulAdd(difference, difference, squares);
  }
  double rest = static_cast<double>(sum_lanes(sum));
  double total = static_cast<double>(sum_lanes(squares));
  for (; i < n; ++i) {
    const double difference = static_cast<double>(x[i] - about);
    rest += difference;
    total += difference * difference;
  }
  rest /= count;
  const double variance = total / count - rest * rest;
  const float inv_std = static_cast<float>(
      1.0 / __builtin_sqrt((variance > 0.0 ? variance : variance * 0.0) + static_cast<double>(epsilon)));
  const float correction = static_cast<float>(rest) * inv_std;
  const V factor = hn::Set(d, inv_std);
  const V offset = hn::Set(d, correction);
  for (i = 0; i + lanes <= n; i += lanes) {
    V v = hn::MulSub(hn::Sub(hn::LoadU(d, x + i), shift), factor, offset);
    if (scale != nullptr) v = hn::Mul(v, hn::LoadU(d, scale + i));
    if (bias != nullptr) v = hn::Add(v, hn::LoadU(d, bias + i));
    hn::StoreU(v, d, y + i);
  }
  for (; i < n; ++i) {
    float v = (x[i] - about) * inv_std - correction;
    if (scale != nullptr) v *= scale[i];
    if (bias != nullptr) v += bias[i];
    y[i] = v;
  }
  if (mean_out != nullptr) *mean_out = static_cast<float>(static_cast<double>(about) + rest);
  if (inv_std_out != nullptr) *inv_std_out = inv_std;
}

HWY_INLINE V limited(V x, float clip) {
  if (clip <= 0.0f) return x;
  const F d;
  return at_most(at_least(x, hn::Set(d, -clip)), hn::Set(d, clip));
}

HWY_ATTR void lstm_cell(const float* gates, const float* peephole, float clip, float* cell, float* h, int64_t hidden) {
  const int64_t lanes = lane_count();
  const F d;
  for (int64_t j = 0; j < hidden; j += lanes) {
    const int64_t count = hidden - j < lanes ? hidden - j : lanes;
    const bool full = count == lanes;
    const auto load = [&](const float* p) HWY_ATTR { return full ? hn::LoadU(d, p) : load_part(p, count, 0.0f); };
    V input = load(gates + j);
    V output = load(gates + hidden + j);
    V forget = load(gates + 2 * hidden + j);
    const V old = load(cell + j);
    if (peephole != nullptr) {
      input = hn::MulAdd(load(peephole + j), old, input);
      forget = hn::MulAdd(load(peephole + 2 * hidden + j), old, forget);
    }
    const V candidate = vector_tanh(limited(load(gates + 3 * hidden + j), clip));
    const V fresh = hn::MulAdd(vector_sigmoid(limited(forget, clip)), old,
                               hn::Mul(vector_sigmoid(limited(input, clip)), candidate));
    if (peephole != nullptr) output = hn::MulAdd(load(peephole + hidden + j), fresh, output);
    const V out = hn::Mul(vector_sigmoid(limited(output, clip)), vector_tanh(fresh));
    if (full) {
      hn::StoreU(fresh, d, cell + j);
      hn::StoreU(out, d, h + j);
    } else {
      store_part(fresh, cell + j, count);
      store_part(out, h + j, count);
    }
  }
}

og_cpu_math make_math_table(int32_t level) {
  og_cpu_math table{};
  table.size = sizeof table;
  table.level = level;
  table.exp = &map_function<Exp>;
  table.log = &map_function<Log>;
  table.tanh = &map_function<Tanh>;
  table.sigmoid = &map_function<Sigmoid>;
  table.erf = &map_function<Erf>;
  table.relu = &relu;
  table.silu = &map_function<Silu>;
  table.gelu_erf = &map_function<GeluErf>;
  table.gelu_tanh = &map_function<GeluTanh>;
  table.hard_swish = &map_function<HardSwish>;
  table.activate = &activate;
  table.softmax = &softmax;
  table.log_softmax = &log_softmax;
  table.layer_norm = &layer_norm;
  table.sum = &row_sum;
  table.max = &row_max;
  table.min = &row_min;
  table.sum_of_squares = &row_sum_of_squares;
  table.dot = &row_dot;
  table.lstm_cell = &lstm_cell;
  return table;
}

const og_cpu_math& get_math_table() {
  static const og_cpu_math table = make_math_table(HWY_TARGET == HWY_AVX3 ? 2 : HWY_TARGET == HWY_AVX2 ? 1 : 0);
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opgraft::cpu {
const og_cpu_math& math_table(int level) { OG_CPU_PICK(get_math_table, level); }
}  // namespace opgraft::cpu
#endif
