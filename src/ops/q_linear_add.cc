// QLinearAdd (com.microsoft): Add of quantised tensors.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearAdd, "com.microsoft", 1) {
  define_quantized_binary(op, "The quantised sum of quantised tensors, which broadcast.", [](Graph& g) {
    dequantize_input(g, 0, "a");
    dequantize_input(g, 3, "b");
    g.node("Add", {"a", "b"}, {"c"});
    quantize_output(g, "c", 6);
  });
}

}  // namespace
