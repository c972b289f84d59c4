// QLinearWhere (com.microsoft): Where of quantised tensors of different scales.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearWhere, "com.microsoft", 1) {
  op.doc("Elements of X where the condition holds, else of Y, quantised anew.")
      .input("condition", "B")
      .input("X", "T")
      .input("x_scale", "TF")
      .input("x_zero_point", "T")
      .input("Y", "T")
      .input("y_scale", "TF")
      .input("y_zero_point", "T")
      .input("z_scale", "TF")
      .input("z_zero_point", "T")
      .output("Z", "T")
      .types("B", {boolean})
      .types("T", {u8, i8})
      .types("TF", {f32})
      .body([](Graph& g) {
        dequantize_input(g, 1, "x");
        dequantize_input(g, 4, "y");
        g.node("Where", {"condition", "x", "y"}, {"z"});
        g.node("QuantizeLinear", {"z", "z_scale", "z_zero_point"}, {"Z"});
      })
      .pure();
}

}  // namespace
