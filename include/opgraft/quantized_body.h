// Bodies of quantised operators of the domain com.microsoft: real numbers in between, quantised at the end.
// Signatures: onnxruntime's ContribOperators documentation.
#ifndef OPGRAFT_QUANTIZED_BODY_H_
#define OPGRAFT_QUANTIZED_BODY_H_

#include <string>

#include "opgraft/op.h"

namespace opgraft OG_HIDDEN {

// Writes into `value` the real numbers of the quantised input `index`, whose scale and zero point follow it.
inline void dequantize_input(Graph& g, int index, const char* value) {
  const auto name = [&](int i) { return g.has(i) ? std::to_string(i) : std::string(); };
  g.node("DequantizeLinear", {name(index), name(index + 1), name(index + 2)}, {value});
}

// Quantises `value` into output 0, with the scale at input `scale` and the zero point after it. Without a zero point
// the result has the type of input 0.
inline void quantize_output(Graph& g, const char* value, int scale) {
  std::string zero = g.has(scale + 1) ? std::to_string(scale + 1) : std::string();
  if (zero.empty()) {
    g.scalar("zero", 0.0f);
    g.node("CastLike", {"zero", "0"}, {"typed_zero"});
    zero = "typed_zero";
  }
  g.node("QuantizeLinear", {value, std::to_string(scale), zero}, {"0"});
}

// Dequantises input 0 into "x" with the channels second, calls `make`, which makes "y", and puts them back: "result".
template <class F>
void channels_first(Graph& g, F make) {
  if (g.get("channels_last", int64_t(0)) == 0) {
    dequantize_input(g, 0, "x");
    make();
    g.node("Identity", {"y"}, {"result"});
    return;
  }
  const Type x = g.type(0);
  if (!x.ranked || x.dims.size() < 2) fail("the rank of the input must be known, and at least 2, with channels_last");
  std::vector<int64_t> forth{0, static_cast<int64_t>(x.dims.size()) - 1}, back{0};
  for (int64_t i = 1; i + 1 < static_cast<int64_t>(x.dims.size()); ++i) {
    forth.push_back(i);
    back.push_back(i + 1);
  }
  back.push_back(1);
  dequantize_input(g, 0, "channels_behind");
  g.node("Transpose", {"channels_behind"}, {"x"}).attr("perm", forth);
  make();
  g.node("Transpose", {"y"}, {"result"}).attr("perm", back);
}

// Two quantised inputs that broadcast, and one quantised output.
inline Op& define_quantized_binary(Op& op, const char* doc, void (*body)(Graph&)) {
  return op.doc(doc)
      .input("A", "T")
      .input("A_scale", "tensor(float)")
      .input("A_zero_point", "T", optional)
      .input("B", "T")
      .input("B_scale", "tensor(float)")
      .input("B_zero_point", "T", optional)
      .input("C_scale", "tensor(float)")
      .input("C_zero_point", "T", optional)
      .output("C", "T")
      .types("T", {u8, i8})
      .body(body)
      .pure();
}

// One quantised input and one quantised output.
inline Op& define_quantized_unary(Op& op, const char* doc, void (*body)(Graph&)) {
  return op.doc(doc)
      .input("X", "T")
      .input("X_scale", "tensor(float)")
      .input("X_zero_point", "T", optional)
      .input("Y_scale", "tensor(float)")
      .input("Y_zero_point", "T", optional)
      .output("Y", "T")
      .types("T", {u8, i8})
      .body(body)
      .pure();
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_QUANTIZED_BODY_H_
