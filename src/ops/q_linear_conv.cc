// QLinearConv: the convolution of quantized tensors, quantized again.
#include <opgraft/integer_conv.h>
using namespace opgraft;
namespace {

OG_OP(QLinearConv, "", 10) {
  op.doc(
        "The convolution of quantized tensors, quantized with y_scale and y_zero_point; weights may have a scale per "
        "output channel.")
      .input("x", "T1")
      .input("x_scale", "tensor(float)")
      .input("x_zero_point", "T1")
      .input("w", "T2")
      .input("w_scale", "tensor(float)")
      .input("w_zero_point", "T2")
      .input("y_scale", "tensor(float)")
      .input("y_zero_point", "T3")
      .input("B", "T4", optional)
      .output("y", "T3")
      .attr("auto_pad", "NOTSET")
      .optional_attr("dilations", OG_ATTR_INTS)
      .attr("group", 1)
      .optional_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T1", {i8, u8})
      .types("T2", {i8, u8})
      .types("T3", {i8, u8})
      .types("T4", {i32})
      .infer([](Infer& c) {
        if (const auto dims = integer_conv_dims(c, 0, 3))
          c.out(0, c.dtype(7), *dims);
        else
          c.out(0, c.dtype(7));
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), w = r.input(3), y = r.output(0), x_zero = r.input(2), w_zero = r.input(5);
                for (const int i : {1, 2, 6, 7})
                  if (r.input(i).numel() != 1) fail("input " + std::to_string(i) + " must be one number");
                const int64_t channels = y.dim(1), positions = y.product(2, y.ndim());
                const auto w_scales = as_doubles(r.input(4));
                if (w_scales.size() != 1 && static_cast<int64_t>(w_scales.size()) != channels)
                  fail("w_scale must be one number or one for each output channel");
                if (r.has(8) && r.input(8).numel() != channels) fail("B must have one entry for each output channel");
                const auto numbers = without_zero_points(x, &x_zero, 0), weights = without_zero_points(w, &w_zero, 0);
                const int32_t* bias = r.has(8) ? r.in<int32_t>(8) : nullptr;
                const double x_scale = as_doubles(r.input(1))[0], y_scale = as_doubles(r.input(6))[0],
                             y_zero = as_doubles(r.input(7))[0];
                const auto [low, high] = integer_range(y.dtype());
                uint8_t* to = y.data<uint8_t>();
                integer_conv(r, x, numbers, w, weights, y.shape(),
                             [&, low = low, high = high](const int32_t* sums, int64_t n, int64_t m) {
                               const float scale = static_cast<float>(
                                   x_scale * w_scales[w_scales.size() == 1 ? 0 : static_cast<size_t>(m)] / y_scale);
                               uint8_t* row = to + (n * channels + m) * positions;
                               for (int64_t i = 0; i < positions; ++i) {
                                 const double value = std::nearbyint(static_cast<double>(
                                                          static_cast<float>(sums[i] + (bias ? bias[m] : 0)) * scale)) +
                                                      y_zero;
                                 row[i] = static_cast<uint8_t>(static_cast<int>(std::clamp(value, low, high)));
                               }
                             });
              })
      .pure();
}

}  // namespace
