// ConvInteger: the convolution of 8-bit tensors in 32 bits.
#include <opgraft/integer_conv.h>
using namespace opgraft;
namespace {

OG_OP(ConvInteger, "", 10) {
  op.doc("The convolution of 8-bit tensors less their zero points, summed in int32.")
      .input("x", "T1")
      .input("w", "T2")
      .input("x_zero_point", "T1", optional)
      .input("w_zero_point", "T2", optional)
      .output("y", "T3")
      .attr("auto_pad", "NOTSET")
      .optional_attr("dilations", OG_ATTR_INTS)
      .attr("group", 1)
      .optional_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T1", {i8, u8})
      .types("T2", {i8, u8})
      .types("T3", {i32})
      .infer([](Infer& c) {
        if (const auto dims = integer_conv_dims(c, 0, 1))
          c.out(0, i32, *dims);
        else
          c.out(0, i32);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), w = r.input(1), y = r.output(0);
                const Tensor x_zero = r.has(2) ? r.input(2) : x, w_zero = r.has(3) ? r.input(3) : w;
                if (r.has(2) && x_zero.numel() != 1) fail("x_zero_point must be one number");
                const auto numbers = without_zero_points(x, r.has(2) ? &x_zero : nullptr, 0);
                const auto weights = without_zero_points(w, r.has(3) ? &w_zero : nullptr, 0);
                const int64_t channels = y.dim(1), positions = y.product(2, y.ndim());
                int32_t* to = y.data<int32_t>();
                integer_conv(r, x, numbers, w, weights, y.shape(), [=](const int32_t* sums, int64_t n, int64_t m) {
                  std::copy(sums, sums + positions, to + (n * channels + m) * positions);
                });
              })
      .pure();
}

}  // namespace
