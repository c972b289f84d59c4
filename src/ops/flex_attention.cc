// FlexAttention: attention whose scores and probabilities pass through graphs of the model.
#include <opgraft/attention.h>
#include <opgraft/op.h>

#include <cmath>
using namespace opgraft;
using namespace opgraft::attention;
namespace {

bool half(dtype type) { return type == f16 || type == bf16; }

// The type of scores and probabilities.
dtype precision_of(const Node& node, dtype input) {
  const int64_t given = node.get("softmax_precision", static_cast<int64_t>(input == f64 ? f64 : f32));
  if (given != f32 && given != f64 && given != f16 && given != bf16)
    fail("softmax_precision = " + std::to_string(given) +
         " must be 1 (float), 10 (float16), 11 (double) or 16 (bfloat16)");
  return static_cast<dtype>(given);
}

// A graph of the model must give back what it got.
void check_modifier(Infer& c, const char* name, dtype precision, const Dims& dims) {
  if (!c.has_attr(name)) return;
  og_type in{}, out{};
  in.size = out.size = sizeof(og_type);
  in.kind = OG_TENSOR;
  in.dtype = precision;
  in.ndim = static_cast<int32_t>(dims.size());
  in.dims = dims.data();
  detail::check(detail::host->infer_subgraph(c.handle(), name, &in, 1, &out, 1));
  if (out.kind == OG_ABSENT) return;
  if (out.kind != OG_TENSOR || (out.dtype != any && out.dtype != precision))
    fail(std::string(name) + " gives " + dtype_name(out.dtype) + ", it must keep the type " + dtype_name(precision));
  if (out.ndim < 0) return;
  const Dims given(out.dims, out.dims + out.ndim);
  bool same = given.size() == dims.size();
  for (size_t i = 0; same && i < dims.size(); ++i)
    same = !is_known(given[i]) || !is_known(dims[i]) || given[i] == dims[i];
  if (!same) fail(std::string(name) + " gives dims " + to_string(given) + ", it must keep " + to_string(dims));
}

void infer(Infer& c) {
  const dtype precision = precision_of(c, c.dtype(kQ));
  static constexpr const char* kNames[] = {"Q", "K", "V"};
  for (int i = kQ; i <= kV; ++i)
    if (c.ranked(i) && c.ndim(i) != 4)
      fail(std::string(kNames[i]) + " must be [batch, heads, length, head size], it has dims " + to_string(c.dims(i)));
  AttentionSizes s;
  if (!AttentionReader(c).read(&s)) return c.out(0, c.dtype(kQ));
  if (c.dtype(kQ) != any) {
    const Dims scores{s.batch, s.q_heads, s.q_length, s.total};
    check_modifier(c, "score_mod", precision, scores);
    check_modifier(c, "prob_mod", precision, scores);
  }
  c.out(0, c.dtype(kQ), {s.batch, s.q_heads, s.q_length, s.value_width});
}

// `value` through the graph of an attribute: Scan with one step runs it once.
std::string modify(Graph& g, const char* attribute, const std::string& value) {
  if (!g.has_attr(attribute)) return value;
  const std::string result = value + "_modified";
  g.node("Unsqueeze", {value, "zero"}, {value + "_step"});
  g.node("Scan", {value + "_step"}, {result + "_step"}).attr_from(attribute, "body").attr("num_scan_inputs", 1);
  g.node("Squeeze", {result + "_step", "zero"}, {result});
  return result;
}

std::string cast(Graph& g, const std::string& value, dtype from, dtype to) {
  if (from == to) return value;
  const std::string result = value + "_as_" + dtype_name(to);
  g.node("Cast", {value}, {result}).attr("to", static_cast<int64_t>(to));
  return result;
}

void dims_of(Graph& g, const std::string& value, int start, int end, const char* name) {
  g.node("Shape", {value}, {name}).attr("start", start).attr("end", end);
}

// Scores of all queries; heads that share keys are an axis of their own.
void scores(Graph& g, dtype wide) {
  const std::string q = cast(g, "Q", g.dtype(kQ), wide), k = cast(g, "K", g.dtype(kK), wide);
  if (g.has_attr("scale")) {
    const double scale = static_cast<double>(g.get("scale", 1.0f));
    wide == f64 ? g.scalar("scale", scale) : g.scalar("scale", static_cast<float>(scale));
  } else {
    g.node("Cast", {"width"}, {"width_number"}).attr("to", static_cast<int64_t>(wide));
    g.node("Sqrt", {"width_number"}, {"width_root"});
    g.node("Reciprocal", {"width_root"}, {"scale"});
  }
  g.node("Mul", {q, "scale"}, {"q_scaled"});
  g.node("Reshape", {"q_scaled", "grouped_q_dims"}, {"q_grouped"}).attr("allowzero", 1);
  g.node("Transpose", {k}, {"k_turned"}).attr("perm", std::vector<int64_t>{0, 1, 3, 2});
  g.node("Unsqueeze", {"k_turned", "two"}, {"k_grouped"});
  g.node("MatMul", {"q_grouped", "k_grouped"}, {"grouped_scores"});
  g.node("Reshape", {"grouped_scores", "score_dims"}, {"scores"}).attr("allowzero", 1);
}

bool body(Graph& g) {
  const dtype type = g.dtype(kQ);
  if (type == any) return false;
  const dtype precision = precision_of(g, type), wide = half(type) ? f32 : type;
  if (!g.has_attr("score_mod") && !g.has_attr("prob_mod")) {
    g.node("Attention", {"Q", "K", "V"}, {"Y"})
        .attr_from("scale")
        .attr("softmax_precision", static_cast<int64_t>(precision));
    return true;
  }
  g.ints("zero", {0});
  g.ints("two", {2});
  dims_of(g, "Q", 0, 1, "batch");
  dims_of(g, "Q", 1, 2, "q_heads");
  dims_of(g, "Q", 2, 3, "q_length");
  dims_of(g, "Q", 3, 4, "width");
  dims_of(g, "K", 1, 2, "kv_heads");
  dims_of(g, "K", 2, 3, "kv_length");
  dims_of(g, "V", 3, 4, "value_width");
  g.node("Div", {"q_heads", "kv_heads"}, {"group"});
  g.node("Concat", {"batch", "kv_heads", "group", "q_length", "width"}, {"grouped_q_dims"}).attr("axis", 0);
  g.node("Concat", {"batch", "kv_heads", "group", "q_length", "kv_length"}, {"grouped_dims"}).attr("axis", 0);
  g.node("Concat", {"batch", "q_heads", "q_length", "kv_length"}, {"score_dims"}).attr("axis", 0);
  g.node("Concat", {"batch", "q_heads", "q_length", "value_width"}, {"y_dims"}).attr("axis", 0);
  scores(g, wide);
  const std::string modified = modify(g, "score_mod", cast(g, "scores", wide, precision));
  g.node("Softmax", {modified}, {"probabilities"}).attr("axis", -1);
  const std::string weights = modify(g, "prob_mod", "probabilities");
  g.node("Reshape", {weights, "grouped_dims"}, {"grouped_weights"}).attr("allowzero", 1);
  g.node("Unsqueeze", {cast(g, "V", type, precision), "two"}, {"grouped_values"});
  g.node("MatMul", {"grouped_weights", "grouped_values"}, {"grouped_y"});
  if (precision == type) {
    g.node("Reshape", {"grouped_y", "y_dims"}, {"Y"}).attr("allowzero", 1);
  } else {
    g.node("Reshape", {"grouped_y", "y_dims"}, {"wide_y"}).attr("allowzero", 1);
    g.node("Cast", {"wide_y"}, {"Y"}).attr("to", static_cast<int64_t>(type));
  }
  return true;
}

OG_OP(FlexAttention, "ai.onnx.preview", 1) {
  op.doc("prob_mod(softmax(score_mod(scale * Q K^T))) V for each head, where the two graphs may be left out.")
      .input("Q", "T1")
      .input("K", "T1")
      .input("V", "T1")
      .output("Y", "T1")
      .optional_attr("prob_mod", OG_ATTR_GRAPH)
      .optional_attr("scale", OG_ATTR_FLOAT)
      .optional_attr("score_mod", OG_ATTR_GRAPH)
      .optional_attr("softmax_precision", OG_ATTR_INT)
      .types("T1", types::floats)
      .infer(&infer)
      .body(&body);
}

}  // namespace
