// QLinearSoftmax (com.microsoft): Softmax of a quantised tensor.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearSoftmax, "com.microsoft", 1) {
  op.doc(
        "The quantised softmax of a quantised tensor; `opset` tells which Softmax: before 13 axes from `axis` on are "
        "one.")
      .input("X", "T")
      .input("X_scale", "tensor(float)")
      .input("x_zero_point", "T", optional)
      .input("y_scale", "tensor(float)")
      .input("y_zero_point", "T")
      .output("Y", "T")
      .attr("axis", -1)
      .required_attr("opset", OG_ATTR_INT)
      .types("T", {u8, i8})
      .body([](Graph& g) {
        const int64_t opset = g.get("opset", int64_t(13));
        if (opset < 1 || opset > OG_ABI_OPSET)
          fail("opset is " + std::to_string(opset) + ", expected 1 to " + std::to_string(OG_ABI_OPSET));
        dequantize_input(g, 0, "x");
        g.opset(static_cast<int>(opset));
        g.node("Softmax", {"x"}, {"y"}).attr_from("axis");
        g.opset(OG_ABI_OPSET);
        quantize_output(g, "y", 3);
      })
      .pure();
}

}  // namespace
