// Attention: each query's mean of the values, weighted by the softmax of its scaled products with the keys.
// Source: Vaswani et al., "Attention Is All You Need" (2017).
#include <opgraft/attention_kernel.h>
#include <opgraft/op.h>

#include <cmath>
#include <limits>
using namespace opgraft;
using namespace opgraft::attention;
namespace {

void infer(Infer& c) {
  const int64_t mode = c.get("qk_matmul_output_mode", int64_t(0)), precision = c.get("softmax_precision", int64_t(f32));
  if (mode < kRaw || mode > kProbabilities)
    fail("qk_matmul_output_mode = " + std::to_string(mode) + " must be 0, 1, 2 or 3");
  if (precision != f32 && precision != f64 && precision != f16 && precision != bf16)
    fail("softmax_precision = " + std::to_string(precision) +
         " must be 1 (float), 10 (float16), 11 (double) or 16 (bfloat16)");
  (void)AttentionWindow(c);
  if (c.has(kNonpad) && (c.has(kPastKey) || c.has(kPastValue)))
    fail("nonpad_kv_seqlen says how much of a cache outside is filled: it cannot go with past_key and past_value");
  const int outputs = c.output_count();
  const auto untold = [&](int index, int like) {
    if (index < outputs) c.out(index, c.dtype(like));
  };
  AttentionSizes s;
  const AttentionReader reader(c);
  const bool known = reader.read(&s);
  if (!known) {
    untold(kY, kQ), untold(kPresentKey, kQ), untold(kPresentValue, kV), untold(kScores, kQ);
    return;
  }
  reader.read_past(&s, kPastKey, kPastValue);
  if (c.ranked(kMask)) {
    const Dims mask = c.dims(kMask), whole{s.batch, s.q_heads, s.q_length, s.total};
    bool fits = !mask.empty() && mask.size() <= 4;
    for (size_t i = 0; fits && i < mask.size(); ++i) {
      const int64_t size = mask[i], wanted = whole[4 - mask.size() + i];
      if (!is_known(size) || !is_known(wanted)) continue;
      fits = i + 1 == mask.size() ? size <= wanted : size == 1 || size == wanted;
    }
    if (!fits)
      fail("attn_mask " + to_string(mask) + " does not broadcast to " + to_string(whole) +
           "; only its last axis may be shorter");
  }
  if (c.ranked(kNonpad)) {
    if (c.ndim(kNonpad) != 1)
      fail("nonpad_kv_seqlen must be one number per batch entry, it has dims " + to_string(c.dims(kNonpad)));
    s.batch = agree(s.batch, c.dim(kNonpad, 0), "the batch sizes of Q and nonpad_kv_seqlen");
  }
  if (s.flat)
    c.out(kY, c.dtype(kQ), {s.batch, s.q_length, c.mul(s.q_heads, s.value_width)});
  else
    c.out(kY, c.dtype(kQ), {s.batch, s.q_heads, s.q_length, s.value_width});
  if (outputs > kPresentKey) c.out(kPresentKey, c.dtype(kQ), {s.batch, s.kv_heads, s.total, s.width});
  if (outputs > kPresentValue) c.out(kPresentValue, c.dtype(kV), {s.batch, s.kv_heads, s.total, s.value_width});
  if (outputs > kScores) c.out(kScores, c.dtype(kQ), {s.batch, s.q_heads, s.q_length, s.total});
}

// ---- The body ----

class Body {
 public:
  explicit Body(Graph& g) : g_(g), type_(g.type(kQ)), flat_(type_.dims.size() == 3) {}

  void build() {
    g_.ints("zero", {0});
    g_.ints("one", {1});
    g_.ints("two", {2});
    g_.ints("last", {-1});
    g_.ints("behind_batch", {1, 2, 3});
    g_.scalar("origin", int64_t(0));
    g_.scalar("step", int64_t(1));
    g_.scalar_like("nothing", -std::numeric_limits<double>::infinity(), kQ);
    g_.scalar_like("no_weight", 0, kQ);
    inputs();
    scores();
    masks();
    probabilities();
    result();
  }

 private:
  using Names = std::vector<std::string>;

  void dims_of(const char* value, int start, int end, const char* name) {
    g_.node("Shape", {value}, {name}).attr("start", start).attr("end", end);
  }
  void concat(const Names& parts, const char* name) { g_.node("Concat", parts, {name}).attr("axis", 0); }
  void reshape(const std::string& value, const char* dims, const std::string& name) {
    g_.node("Reshape", {value, dims}, {name}).attr("allowzero", 1);
  }
  int64_t dim(int input, size_t axis) const {
    const Type type = g_.type(input);
    return type.ranked && axis < type.dims.size() ? type.dims[axis] : kUnknown;
  }
  std::string cast(const std::string& value, int64_t type, int64_t from) {
    if (type == from) return value;
    g_.node("Cast", {value}, {value + "_cast"}).attr("to", type);
    return value + "_cast";
  }

  // [batch, heads, length, width] of an input.
  std::string heads_first(const std::string& name, const char* heads) {
    if (!flat_) return name;
    const std::string part = name + "_heads", sizes = name + "_sizes";
    g_.ints(part.c_str(), {g_.get(heads, int64_t(1))});
    dims_of(name.c_str(), 0, 2, (name + "_lead").c_str());
    dims_of(name.c_str(), 2, 3, (name + "_all").c_str());
    g_.node("Div", {name + "_all", part}, {name + "_width"});
    concat({name + "_lead", part, name + "_width"}, sizes.c_str());
    reshape(name, sizes.c_str(), name + "_split");
    g_.node("Transpose", {name + "_split"}, {name + "_4"}).attr("perm", std::vector<int64_t>{0, 2, 1, 3});
    return name + "_4";
  }

  void inputs() {
    q_ = heads_first("Q", "q_num_heads");
    const std::string k = heads_first("K", "kv_num_heads"), v = heads_first("V", "kv_num_heads");
    if (g_.has(kPastKey)) {
      g_.node("Concat", {"past_key", k}, {"present_key"}).attr("axis", 2);
      g_.node("Concat", {"past_value", v}, {"present_value"}).attr("axis", 2);
    } else {
      g_.node("Identity", {k}, {"present_key"});
      g_.node("Identity", {v}, {"present_value"});
    }
    const int64_t q_heads = flat_ ? g_.get("q_num_heads", int64_t(1)) : dim(kQ, 1);
    const int64_t kv_heads = flat_ ? g_.get("kv_num_heads", int64_t(1)) : dim(kK, 1);
    grouped_ = !is_known(q_heads) || q_heads != kv_heads;
    dims_of(q_.c_str(), 0, 3, "rows");
    dims_of(q_.c_str(), 2, 3, "q_length");
    dims_of("present_key", 2, 3, "total");
    concat({"rows", "total"}, "score_dims");
    if (!grouped_) return;
    dims_of(q_.c_str(), 0, 1, "batch");
    dims_of(q_.c_str(), 1, 2, "q_heads");
    dims_of("present_key", 1, 2, "kv_heads");
    g_.node("Div", {"q_heads", "kv_heads"}, {"group"});
    concat({"batch", "kv_heads", "group", "q_length"}, "grouped_rows");
  }

  // Scales of Q and K, whose product is the scale: neither product of halves overflows.
  void scales() {
    const int64_t width = flat_ ? kUnknown : dim(kQ, 3);
    if (g_.has_attr("scale") || (is_known(width) && width > 0)) {
      const double scale =
          g_.has_attr("scale") ? static_cast<double>(g_.get("scale", 1.0f)) : 1 / std::sqrt(static_cast<double>(width));
      const double root = std::sqrt(std::abs(scale));
      g_.scalar_like("q_scale", scale < 0 ? -root : root, kQ);
      g_.scalar_like("k_scale", root, kQ);
      return;
    }
    const int64_t wide = type_.dtype == f64 ? f64 : f32;
    dims_of(q_.c_str(), 3, 4, "width");
    g_.node("Cast", {"width"}, {"width_number"}).attr("to", wide);
    g_.node("Sqrt", {"width_number"}, {"width_root"});
    g_.node("Reciprocal", {"width_root"}, {"scale"});
    g_.node("Sqrt", {"scale"}, {"scale_root"});
    g_.node("Cast", {"scale_root"}, {"q_scale"}).attr("to", static_cast<int64_t>(type_.dtype));
    g_.node("Identity", {"q_scale"}, {"k_scale"});
  }

  void scores() {
    scales();
    g_.node("Mul", {q_, "q_scale"}, {"q_scaled"});
    g_.node("Mul", {"present_key", "k_scale"}, {"k_scaled"});
    g_.node("Transpose", {"k_scaled"}, {"k_turned"}).attr("perm", std::vector<int64_t>{0, 1, 3, 2});
    if (grouped_) {
      dims_of(q_.c_str(), 3, 4, "columns_of_q");
      concat({"grouped_rows", "columns_of_q"}, "q_grouped_dims");
      reshape("q_scaled", "q_grouped_dims", "q_grouped");
      g_.node("Unsqueeze", {"k_turned", "two"}, {"k_grouped"});
      g_.node("MatMul", {"q_grouped", "k_grouped"}, {"grouped_scores"});
      reshape("grouped_scores", "score_dims", "raw");
    } else {
      g_.node("MatMul", {"q_scaled", "k_turned"}, {"raw"});
    }
    give(kRaw, "raw");
    scores_ = "raw";
    if (const float cap = g_.get("softcap", 0.0f); cap > 0) {
      g_.scalar_like("cap", static_cast<double>(cap), kQ);
      g_.node("Div", {"raw", "cap"}, {"part_of_cap"});
      g_.node("Tanh", {"part_of_cap"}, {"bent"});
      g_.node("Mul", {"bent", "cap"}, {"capped"});
      scores_ = "capped";
    }
    give(kCapped, scores_);
  }

  void give(ScoresMode mode, const std::string& value) {
    if (g_.uses_output(kScores) && g_.get("qk_matmul_output_mode", int64_t(kRaw)) == mode)
      g_.node("Identity", {value}, {"qk_matmul_output"});
  }

  // One more condition that a key must meet.
  void allow(const std::string& condition) {
    if (!allowed_.empty()) {
      const std::string both = condition + "_too";
      g_.node("And", {allowed_, condition}, {both});
      allowed_ = both;
    } else {
      allowed_ = condition;
    }
  }

  // Which keys are allowed by position.
  void positions() {
    const AttentionWindow window(g_);
    const bool filled = g_.has(kNonpad);
    if (!window.causal && window.left < 0 && window.right < 0 && !filled) return;
    constexpr int64_t kFar = int64_t(1) << 60;
    g_.node("Squeeze", {"q_length"}, {"q_count"});
    g_.node("Squeeze", {"total"}, {"key_count"});
    g_.node("Range", {"origin", "key_count", "step"}, {"key_at"});
    g_.node("Range", {"origin", "q_count", "step"}, {"query_row"});
    g_.node("Unsqueeze", {"query_row", "one"}, {"query_at_first"});
    std::string query = "query_at_first";
    if (filled) {
      g_.node("Unsqueeze", {"nonpad_kv_seqlen", "behind_batch"}, {"filled"});
      g_.node("Sub", {"filled", "q_length"}, {"offset"});
      g_.node("Less", {"key_at", "filled"}, {"within_filled"});
      allow("within_filled");
    } else if (g_.has(kPastKey)) {
      dims_of("past_key", 2, 3, "offset");
    }
    if (filled || g_.has(kPastKey)) {
      g_.node("Add", {query, "offset"}, {"query_at"});
      query = "query_at";
    }
    if (window.causal) {
      g_.node("LessOrEqual", {"key_at", query}, {"not_later"});
      allow("not_later");
    }
    if (window.right >= 0) {
      g_.scalar("right", std::min(window.right, kFar));
      g_.node("Add", {query, "right"}, {"latest"});
      g_.node("LessOrEqual", {"key_at", "latest"}, {"within_right"});
      allow("within_right");
    }
    if (window.left >= 0) {
      g_.scalar("left", std::min(window.left, kFar));
      g_.node("Sub", {query, "left"}, {"earliest"});
      g_.node("GreaterOrEqual", {"key_at", "earliest"}, {"within_left"});
      allow("within_left");
    }
  }

  // attn_mask as booleans or in the type of Q, with a column for each key.
  std::string whole_mask() {
    const Type mask = g_.type(kMask);
    const std::string name = mask.dtype == boolean ? "attn_mask" : cast("attn_mask", type_.dtype, mask.dtype);
    const int64_t fresh = dim(kK, flat_ ? 1 : 2), past = g_.has(kPastKey) ? dim(kPastKey, 2) : 0;
    if (mask.ranked && !mask.dims.empty() && is_known(mask.dims.back()) && is_known(fresh) && is_known(past) &&
        mask.dims.back() == fresh + past)
      return name;
    g_.node("Shape", {name}, {"mask_columns"}).attr("start", -1);
    g_.node("Sub", {"total", "mask_columns"}, {"missing"});
    concat({"zero", "missing"}, "pads");
    g_.node("Pad", {name, "pads", mask.dtype == boolean ? "" : "nothing", "last"}, {"mask"});
    return "mask";
  }

  void masks() {
    positions();
    std::string added;
    if (g_.has(kMask)) {
      if (g_.dtype(kMask) == boolean)
        allow(whole_mask());
      else
        added = whole_mask();
    }
    if (!added.empty()) {
      if (!allowed_.empty()) {
        g_.node("Where", {allowed_, added, "nothing"}, {"bias"});
        added = "bias";
      }
      g_.node("Equal", {added, "nothing"}, {"banned"});
      g_.node("Not", {"banned"}, {"allowed"});
      allowed_ = "allowed";
      g_.node("Add", {scores_, added}, {"biased"});
      scores_ = "biased";
    }
    if (!allowed_.empty()) {
      g_.node("Where", {allowed_, scores_, "nothing"}, {"masked"});
      scores_ = "masked";
    }
    give(kMasked, scores_);
  }

  void probabilities() {
    const int64_t precision = g_.get("softmax_precision", static_cast<int64_t>(type_.dtype));
    const std::string wide = cast(scores_, precision, type_.dtype);
    g_.node("Softmax", {wide}, {"weights"}).attr("axis", -1);
    weights_ = cast("weights", type_.dtype, precision);
    if (!allowed_.empty()) {  // a query that may see nothing gets nothing, not NaN
      g_.node("ReduceMax", {allowed_, "last"}, {"sees"}).attr("keepdims", 1);
      g_.node("Where", {"sees", weights_, "no_weight"}, {"safe_weights"});
      weights_ = "safe_weights";
    }
    give(kProbabilities, weights_);
  }

  void result() {
    const std::string values = cast("present_value", type_.dtype, g_.dtype(kV));
    std::string y = flat_ ? "y_4" : "Y";
    if (grouped_) {
      concat({"grouped_rows", "total"}, "weight_dims");
      reshape(weights_, "weight_dims", "grouped_weights");
      g_.node("Unsqueeze", {values, "two"}, {"grouped_values"});
      g_.node("MatMul", {"grouped_weights", "grouped_values"}, {"grouped_y"});
      dims_of("present_value", 3, 4, "value_width");
      concat({"rows", "value_width"}, "y_dims");
      reshape("grouped_y", "y_dims", y);
    } else {
      g_.node("MatMul", {weights_, values}, {y});
    }
    if (!flat_) return;
    g_.node("Transpose", {y}, {"y_turned"}).attr("perm", std::vector<int64_t>{0, 2, 1, 3});
    dims_of("Q", 0, 2, "y_lead");
    dims_of("present_value", 3, 4, "y_width");
    g_.node("Mul", {"y_width", "Q_heads"}, {"y_all"});
    concat({"y_lead", "y_all"}, "flat_dims");
    reshape("y_turned", "flat_dims", "Y");
  }

  Graph& g_;
  Type type_;
  bool flat_ = false, grouped_ = false;
  std::string q_, scores_, weights_, allowed_;
};

constexpr const char* kAttributes[] = {
    "is_causal",         "kv_num_heads", "left_window_size", "q_num_heads",      "qk_matmul_output_mode",
    "right_window_size", "scale",        "softcap",          "softmax_precision"};

// The same with all halves as floats: sums and the softmax in between keep their digits.
void widen(Graph& g) {
  const auto half = [](dtype type) { return type == f16 || type == bf16; };
  std::vector<std::string> inputs, outputs;
  for (int i = 0; i < g.info().input_count; ++i) {
    inputs.push_back(g.has(i) ? std::to_string(i) : "");
    if (!g.has(i) || !half(g.dtype(i))) continue;
    inputs.back() = "wide_input" + std::to_string(i);
    g.node("Cast", {std::to_string(i)}, {inputs.back()}).attr("to", static_cast<int64_t>(f32));
  }
  for (int i = 0; i < g.info().output_count; ++i)
    outputs.push_back(g.uses_output(i) ? "wide_output" + std::to_string(i) : "");
  NewNode node = g.node("Attention", inputs, outputs);
  for (const char* name : kAttributes) node.attr_from(name);
  for (int i = 0; i < g.info().output_count; ++i)
    if (g.uses_output(i))
      g.node("Cast", {outputs[static_cast<size_t>(i)]}, {std::to_string(i)})
          .attr("to", static_cast<int64_t>(g.dtype(i == kPresentValue ? kV : kQ)));
}

bool body(Graph& g) {
  const Type q = g.type(kQ);
  const dtype v = g.dtype(kV);
  if (!q.ranked || q.dtype == any || v == any || (g.has(kMask) && g.dtype(kMask) == any)) return false;
  if (q.dtype == f16 || q.dtype == bf16 || v == f16 || v == bf16)
    widen(g);
  else
    Body(g).build();
  return true;
}

// In version 23 attn_mask broadcasts along its last axis, too; later a shorter one is filled up.
void raise_23(Graph& g) {
  std::vector<std::string> inputs{"Q",
                                  "K",
                                  "V",
                                  g.has(kMask) ? "attn_mask" : "",
                                  g.has(kPastKey) ? "past_key" : "",
                                  g.has(kPastValue) ? "past_value" : ""};
  if (g.has(kMask)) {
    std::string total = "fresh";
    g.node("Shape", {"K"}, {"fresh"}).attr("start", -2).attr("end", -1);
    if (g.has(kPastKey)) {
      g.node("Shape", {"past_key"}, {"past"}).attr("start", 2).attr("end", 3);
      g.node("Add", {"past", "fresh"}, {"total"});
      total = "total";
    }
    g.node("Expand", {"attn_mask", total}, {"whole_mask"});
    inputs[kMask] = "whole_mask";
  }
  std::vector<std::string> outputs;
  for (int i = 0; i < g.info().output_count; ++i) outputs.push_back(g.uses_output(i) ? std::to_string(i) : "");
  NewNode node = g.node("Attention", inputs, outputs);
  for (const char* name : kAttributes) node.attr_from(name);
}

OG_OP(Attention, "", 25) {
  op.doc(
        "softmax(scale * Q K^T) V for each head, with masks, windows, a cache of earlier keys and values, and heads of "
        "queries that share keys.")
      .input("Q", "T1")
      .input("K", "T1")
      .input("V", "T2")
      .input("attn_mask", "U", optional)
      .input("past_key", "T1", optional)
      .input("past_value", "T2", optional)
      .input("nonpad_kv_seqlen", "tensor(int64)", optional)
      .output("Y", "T1")
      .output("present_key", "T1", optional)
      .output("present_value", "T2", optional)
      .output("qk_matmul_output", "T1", optional)
      .attr("is_causal", 0)
      .optional_attr("kv_num_heads", OG_ATTR_INT)
      .attr("left_window_size", -1)
      .optional_attr("q_num_heads", OG_ATTR_INT)
      .attr("qk_matmul_output_mode", 0)
      .attr("right_window_size", -1)
      .optional_attr("scale", OG_ATTR_FLOAT)
      .attr("softcap", 0.0f)
      .optional_attr("softmax_precision", OG_ATTR_INT)
      .types("T1", types::floats)
      .types("T2", types::floats)
      .types("U", types::numeric + Dtypes{boolean})
      .infer(&infer)
      .body(&body)
      .flops([](Prepare& p) {
        const AttentionSizes s = sizes_of(p);
        return 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.q_heads) * static_cast<double>(s.q_length) *
               static_cast<double>(s.total) * (static_cast<double>(s.width) + static_cast<double>(s.value_width));
      })
      .pure()
      .kernel<Kernel<float>>(cpu, {{"T1", f32}, {"T2", f32}})
      .kernel<Kernel<double>>(cpu, {{"T1", f64}, {"T2", f64}});
  op.earlier(24, [](Op& o) { o.drop("left_window_size").drop("right_window_size"); })
      .earlier(
          23, [](Op& o) { o.drop("nonpad_kv_seqlen"); }, &raise_23);
}

}  // namespace
