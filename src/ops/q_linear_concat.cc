// QLinearConcat (com.microsoft): Concat of quantised tensors of different scales.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearConcat, "com.microsoft", 1) {
  op.doc("Quantised tensors one after the other along `axis`; inputs are groups of tensor, scale and zero point.")
      .input("Y_scale", "tensor(float)")
      .input("Y_zero_point", "T8")
      .input("inputs", "TV", variadic | heterogeneous, 3)
      .output("Y", "T8")
      .required_attr("axis", OG_ATTR_INT)
      .types("T8", {u8, i8})
      .types("TV", {u8, i8, f32})
      .body([](Graph& g) {
        const int count = g.info().input_count - 2;
        if (count < 3 || count % 3 != 0)
          fail("there are " + std::to_string(count) + " inputs behind the scale and zero point, expected groups of 3");
        std::vector<std::string> parts;
        for (int i = 0; i < count / 3; ++i) {
          parts.push_back("part" + std::to_string(i));
          dequantize_input(g, 2 + 3 * i, parts.back().c_str());
        }
        g.node("Concat", parts, {"whole"}).attr_from("axis");
        g.node("QuantizeLinear", {"whole", "Y_scale", "Y_zero_point"}, {"Y"});
      })
      .pure();
}

}  // namespace
