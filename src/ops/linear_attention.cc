// LinearAttention: a state per head that decays, takes up keys and values token by token, and is read by queries.
// Source: Yang et al., "Gated Delta Networks" (2025).
#include <opgraft/agree.h>
#include <opgraft/op.h>
#include <opgraft/simd.h>

#include <algorithm>
#include <cmath>
using namespace opgraft;
namespace {

enum Input { kQuery, kKey, kValue, kPast, kDecay, kBeta };

// What the update does beyond adding key times value.
struct Rule {
  bool gated = false, corrected = false;
};

Rule rule_of(const Node& node) {
  const std::string name = node.get("update_rule", "gated_delta");
  if (name == "linear") return {};
  if (name == "gated") return {true, false};
  if (name == "delta") return {false, true};
  if (name == "gated_delta") return {true, true};
  fail("update_rule = \"" + name + "\" must be linear, gated, delta or gated_delta");
}

void infer(Infer& c) {
  const Rule rule = rule_of(c);
  const std::string name = c.get("update_rule", "gated_delta");
  const int64_t q_heads = c.get("q_num_heads", int64_t(0)), heads = c.get("kv_num_heads", int64_t(0));
  if (q_heads < 1 || heads < 1 || q_heads % heads != 0)
    fail("q_num_heads = " + std::to_string(q_heads) +
         " must be a positive multiple of kv_num_heads = " + std::to_string(heads));
  for (const auto& [input, wanted, text] : {std::tuple(kDecay, rule.gated, "decay"), {kBeta, rule.corrected, "beta"}})
    if (c.has(input) != wanted)
      fail("update_rule " + name + (wanted ? " needs the input " : " has no use for the input ") + text);

  int64_t batch = kUnknown, length = kUnknown, width = kUnknown, value_width = kUnknown;
  static constexpr const char* kNames[] = {"query", "key", "value", "past_state", "decay", "beta"};
  for (const int i : {kQuery, kKey, kValue, kDecay, kBeta}) {
    if (!c.ranked(i)) continue;
    if (c.ndim(i) != 3) fail(std::string(kNames[i]) + " must have 3 axes, it has dims " + to_string(c.dims(i)));
    batch = agree(batch, c.dim(i, 0), std::string("the batch sizes of query and ") + kNames[i]);
    length = agree(length, c.dim(i, 1), std::string("the lengths of query and ") + kNames[i]);
    if (i > kValue) continue;
    const int64_t all = c.dim(i, 2), parts = i == kQuery ? q_heads : heads;
    if (is_known(all) && all % parts != 0)
      fail("the last axis of " + std::string(kNames[i]) + ", " + std::to_string(all) + ", does not divide into " +
           std::to_string(parts) + " heads");
    int64_t& size = i == kValue ? value_width : width;
    size = agree(size, c.floor_div(all, parts), "the head sizes of query and key");
  }
  if (c.ranked(kPast)) {
    if (c.ndim(kPast) != 4) fail("past_state must have 4 axes, it has dims " + to_string(c.dims(kPast)));
    batch = agree(batch, c.dim(kPast, 0), "the batch sizes of query and past_state");
    agree(heads, c.dim(kPast, 1), "kv_num_heads and the heads of past_state");
    width = agree(width, c.dim(kPast, 2), "the head sizes of key and past_state");
    value_width = agree(value_width, c.dim(kPast, 3), "the head sizes of value and past_state");
  }
  if (c.ranked(kDecay) && is_known(c.dim(kDecay, 2)) && c.dim(kDecay, 2) != heads && is_known(width) &&
      c.dim(kDecay, 2) / heads != width)
    fail("the last axis of decay, " + std::to_string(c.dim(kDecay, 2)) +
         ", must be kv_num_heads = " + std::to_string(heads) + " or that times the head size " + std::to_string(width));
  if (c.ranked(kDecay) && is_known(c.dim(kDecay, 2)) && c.dim(kDecay, 2) % heads != 0)
    fail("the last axis of decay, " + std::to_string(c.dim(kDecay, 2)) + ", does not divide into " +
         std::to_string(heads) + " heads");
  if (c.ranked(kBeta) && is_known(c.dim(kBeta, 2)) && c.dim(kBeta, 2) != heads && c.dim(kBeta, 2) != 1)
    fail("the last axis of beta, " + std::to_string(c.dim(kBeta, 2)) +
         ", must be 1 or kv_num_heads = " + std::to_string(heads));
  c.out(0, c.dtype(kQuery), {batch, length, c.mul(q_heads, value_width)});
  c.out(1, c.dtype(c.has(kPast) ? kPast : kQuery), {batch, heads, width, value_width});
}

struct LinearAttentionF32 {
  struct Plan {
    Rule rule;
    int64_t batch = 0, length = 0, q_heads = 0, heads = 0, width = 0, value_width = 0;
    int64_t decay_columns = 0, beta_columns = 0;
    int64_t band = 16;  // columns of the state that one task keeps at hand: columns do not depend on each other
    float scale = 1;
    uint64_t worker_floats = 0;
  };

  Plan prepare(Prepare& p) const {
    Plan plan;
    plan.rule = rule_of(p);
    const Dims query = p.dims(kQuery), value = p.dims(kValue);
    plan.q_heads = p.get("q_num_heads", int64_t(1)), plan.heads = p.get("kv_num_heads", int64_t(1));
    plan.batch = query[0], plan.length = query[1];
    plan.width = query[2] / plan.q_heads, plan.value_width = value[2] / plan.heads;
    plan.decay_columns = plan.rule.gated ? p.dims(kDecay)[2] : 0;
    plan.beta_columns = plan.rule.corrected ? p.dims(kBeta)[2] : 0;
    plan.scale = p.get("scale", 0.0f);
    if (plan.scale == 0)
      plan.scale = plan.width > 0 ? static_cast<float>(1 / std::sqrt(static_cast<double>(plan.width))) : 1.0f;
    if (plan.value_width > 32) plan.band = 64;
    if (plan.batch == 0 || plan.value_width == 0) return plan;
    plan.worker_floats = (static_cast<uint64_t>(plan.width) * static_cast<uint64_t>(plan.band + 1) + 15) / 16 * 16;
    p.scratch(plan.worker_floats * sizeof(float) * static_cast<uint64_t>(std::max(1, p.threads())));
    return plan;
  }

  void run(Run& r) const {
    const Plan& plan = r.plan<Plan>();
    const int64_t bands = (plan.value_width + plan.band - 1) / plan.band;
    const int64_t work = plan.width * plan.band * std::max<int64_t>(1, plan.length);
    r.parallel_for(plan.batch * plan.heads * bands, 16384 / std::max<int64_t>(1, work) + 1,
                   [&](int64_t begin, int64_t end, int32_t worker) {
                     float* memory = r.scratch<float>() + static_cast<uint64_t>(worker) * plan.worker_floats;
                     for (int64_t i = begin; i < end; ++i) {
                       const int64_t entry = i / bands, first = i % bands * plan.band;
                       if (plan.band == 16)
                         advance<16>(r, plan, entry / plan.heads, entry % plan.heads, first, memory);
                       else
                         advance<64>(r, plan, entry / plan.heads, entry % plan.heads, first, memory);
                     }
                   });
  }

  // All tokens for columns [first, first + Band) of the state of one head.
  template <int64_t Band>
  static void advance(Run& r, const Plan& plan, int64_t batch, int64_t head, int64_t first, float* state) {
    const int64_t columns = std::min(Band, plan.value_width - first), width = plan.width, heads = plan.heads;
    const int64_t group = plan.q_heads / heads, state_at = (batch * heads + head) * width * plan.value_width + first;
    float* factors = state + width * Band;
    std::fill_n(state, width * Band, 0.0f);
    if (r.has(kPast))
      for (int64_t d = 0; d < width; ++d)
        std::copy_n(r.in<float>(kPast) + state_at + d * plan.value_width, columns, state + d * Band);
    for (int64_t t = 0; t < plan.length; ++t) {
      const int64_t token = batch * plan.length + t;
      const float* key = r.in<float>(kKey) + (token * heads + head) * width;
      if (plan.rule.gated) {
        const bool single = plan.decay_columns == heads;
        const float* decay = r.in<float>(kDecay) + token * plan.decay_columns + head * (single ? 1 : width);
        fade<Band>(decay, single, width, factors, state);
      }
      alignas(64) float value[Band] = {};
      std::copy_n(r.in<float>(kValue) + (token * heads + head) * plan.value_width + first, columns, value);
      if (plan.rule.corrected) {
        const float beta = r.in<float>(kBeta)[token * plan.beta_columns + (plan.beta_columns == 1 ? 0 : head)];
        alignas(64) float held[Band];
        read<Band>(key, width, state, held);
        for (int64_t i = 0; i < Band; ++i) value[i] = beta * (value[i] - held[i]);
      }
      take_up<Band>(key, value, width, state);
      for (int64_t g = 0; g < group; ++g) {
        const int64_t row = token * plan.q_heads + head * group + g;
        alignas(64) float sum[Band];
        read<Band>(r.in<float>(kQuery) + row * width, width, state, sum);
        float* y = r.out<float>(0) + row * plan.value_width + first;
        for (int64_t i = 0; i < columns; ++i) y[i] = plan.scale * sum[i];
      }
    }
    if (r.uses_output(1))
      for (int64_t d = 0; d < width; ++d)
        std::copy_n(state + d * Band, columns, r.out<float>(1) + state_at + d * plan.value_width);
  }

  // Rows of the state times the exponentials of their decays.
  template <int64_t Band>
  static void fade(const float* decay, bool single, int64_t width, float* factors, float* state) {
    vectorize([=](auto level) OG_SIMD {
      for (int64_t d = 0; d < width; ++d) factors[d] = simd::exp(level, decay[single ? 0 : d]);
      for (int64_t d = 0; d < width; ++d)
        for (int64_t i = 0; i < Band; ++i) state[d * Band + i] *= factors[d];
    });
  }
  // sums = weights^T state.
  template <int64_t Band>
  static void read(const float* weights, int64_t width, const float* state, float* sums) {
    vectorize([=]() OG_SIMD {
      float sum[Band] = {};
      for (int64_t d = 0; d < width; ++d)
        for (int64_t i = 0; i < Band; ++i) sum[i] += weights[d] * state[d * Band + i];
      for (int64_t i = 0; i < Band; ++i) sums[i] = sum[i];
    });
  }
  // state += key value^T.
  template <int64_t Band>
  static void take_up(const float* key, const float* value, int64_t width, float* state) {
    vectorize([=]() OG_SIMD {
      for (int64_t d = 0; d < width; ++d)
        for (int64_t i = 0; i < Band; ++i) state[d * Band + i] += key[d] * value[i];
    });
  }
};

OG_OP(LinearAttention, "", 27) {
  op.doc(
        "Attention by a running state: it decays, takes up key times value (or what of the value it does not hold "
        "yet), "
        "and each query reads it.")
      .input("query", "T")
      .input("key", "T")
      .input("value", "T")
      .input("past_state", "S", optional)
      .input("decay", "T", optional)
      .input("beta", "T", optional)
      .output("output", "T")
      .output("present_state", "S")
      .attr("chunk_size", 64)
      .required_attr("kv_num_heads", OG_ATTR_INT)
      .required_attr("q_num_heads", OG_ATTR_INT)
      .attr("scale", 0.0f)
      .attr("update_rule", "gated_delta")
      .types("T", {f16, bf16, f32})
      .types("S", {f16, bf16, f32})
      .infer(&infer)
      .pure()
      .kernel<LinearAttentionF32>(cpu, f32);
}

}  // namespace
