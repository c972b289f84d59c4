// QLinearGlobalAveragePool (com.microsoft): GlobalAveragePool of a quantised tensor.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearGlobalAveragePool, "com.microsoft", 1) {
  op.doc("The quantised mean of each channel of a quantised tensor.")
      .input("X", "T")
      .input("x_scale", "tensor(float)")
      .input("x_zero_point", "T")
      .input("y_scale", "tensor(float)")
      .input("y_zero_point", "T")
      .output("Y", "T")
      .attr("channels_last", 0)
      .types("T", {u8, i8})
      .body([](Graph& g) {
        channels_first(g, [&] { g.node("GlobalAveragePool", {"x"}, {"y"}); });
        quantize_output(g, "result", 3);
      })
      .pure();
}

}  // namespace
