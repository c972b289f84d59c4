// QLinearAveragePool (com.microsoft): AveragePool of a quantised tensor.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QLinearAveragePool, "com.microsoft", 1) {
  op.doc("The quantised mean of windows of a quantised tensor.")
      .input("X", "T")
      .input("x_scale", "tensor(float)")
      .input("x_zero_point", "T", optional)
      .input("y_scale", "tensor(float)")
      .input("y_zero_point", "T", optional)
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("ceil_mode", 0)
      .attr("channels_last", 0)
      .attr("count_include_pad", 0)
      .required_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", {u8, i8})
      .body([](Graph& g) {
        channels_first(g, [&] {
          NewNode pool = g.node("AveragePool", {"x"}, {"y"});
          for (const char* name : {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"})
            pool.attr_from(name);
        });
        quantize_output(g, "result", 3);
      })
      .pure();
}

}  // namespace
