// QLinearLeakyRelu (com.microsoft): LeakyRelu of a quantised tensor.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearLeakyRelu, "com.microsoft", 1) {
  define_quantized_unary(op, "The quantised leaky rectifier of a quantised tensor.", [](Graph& g) {
    dequantize_input(g, 0, "x");
    g.node("LeakyRelu", {"x"}, {"y"}).attr_from("alpha");
    quantize_output(g, "y", 3);
  }).attr("alpha", 0.01f);
}

}  // namespace
