// QLinearSigmoid (com.microsoft): Sigmoid of a quantised tensor.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearSigmoid, "com.microsoft", 1) {
  define_quantized_unary(op, "The quantised sigmoid of a quantised tensor.", [](Graph& g) {
    dequantize_input(g, 0, "x");
    g.node("Sigmoid", {"x"}, {"y"});
    quantize_output(g, "y", 3);
  });
}

}  // namespace
