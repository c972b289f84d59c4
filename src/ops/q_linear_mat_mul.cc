// QLinearMatMul: the product of quantized matrices, quantized again.
#include <opgraft/integer_matmul.h>
using namespace opgraft;
namespace {

OG_OP(QLinearMatMul, "", 21) {
  op.doc("The matrix product of quantized tensors, quantized with y_scale and y_zero_point.")
      .input("a", "T1")
      .input("a_scale", "TS")
      .input("a_zero_point", "T1")
      .input("b", "T2")
      .input("b_scale", "TS")
      .input("b_zero_point", "T2")
      .input("y_scale", "TS")
      .input("y_zero_point", "T3")
      .output("y", "T3")
      .types("TS", {bf16, f16, f32})
      .types("T1", types::float8 + Dtypes{i8, u8})
      .types("T2", types::float8 + Dtypes{i8, u8})
      .types("T3", types::float8 + Dtypes{i8, u8})
      .infer([](Infer& c) {
        if (!c.ranked(0) || !c.ranked(3)) return c.out(0, c.dtype(7));
        c.out(0, c.dtype(7), matmul_dims(c.dims(0), c.dims(3)));
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor a = r.input(0), b = r.input(3);
                const auto a_scales = as_doubles(r.input(1)), b_scales = as_doubles(r.input(4));
                const auto y_scales = as_doubles(r.input(6)), y_zeros = as_doubles(r.input(7));
                const int64_t m = a.ndim() > 1 ? a.dim(-2) : 1, columns = b.ndim() > 1 ? b.dim(-1) : 1, k = a.dim(-1);
                const auto fits = [](const std::vector<double>& list, int64_t size) {
                  return list.size() == 1 || static_cast<int64_t>(list.size()) == size;
                };
                if (!fits(a_scales, m) || !fits(b_scales, columns) || !fits(y_scales, m) ||
                    y_zeros.size() != y_scales.size())
                  fail("scales must be one number, or one for each row of a and y and each column of b");
                const int32_t type = r.output(0).dtype();
                const std::pair<double, double> range =
                    is_mini_float(type) ? std::pair<double, double>{0, 0} : integer_range(type);
                uint8_t* y = r.out<uint8_t>(0);
                const auto store = [&](int64_t row, int64_t j, double sum) {
                  const auto i = static_cast<size_t>(row % m);
                  const double scale = a_scales[a_scales.size() == 1 ? 0 : i] *
                                       b_scales[b_scales.size() == 1 ? 0 : static_cast<size_t>(j)] /
                                       y_scales[y_scales.size() == 1 ? 0 : i];
                  const double value = sum * scale, zero = y_zeros[y_zeros.size() == 1 ? 0 : i];
                  y[row * columns + j] =
                      is_mini_float(type)
                          ? static_cast<uint8_t>(encode_mini_float(mini_float(type), value + zero, true))
                          : static_cast<uint8_t>(
                                static_cast<int>(std::clamp(std::nearbyint(value) + zero, range.first, range.second)));
                };
                const Tensor a_zero = r.input(2), b_zero = r.input(5);
                if (!is_mini_float(a.dtype()) && !is_mini_float(b.dtype())) {
                  const auto left = without_zero_points(a, &a_zero, a.ndim() > 1 ? a.ndim() - 2 : 0);
                  const auto right = without_zero_points(b, &b_zero, b.ndim() - 1);
                  return integer_matmul(r, a.shape(), left, b.shape(), right,
                                        [&](const int32_t* sums, int64_t row, int64_t n) {
                                          for (int64_t j = 0; j < n; ++j) store(row, j, sums[j]);
                                        });
                }
                if (a.ndim() > 2 || b.ndim() > 2)
                  fail("matrices of 8-bit floats with more than 2 axes are not supported");
                const auto left = as_doubles(a), right = as_doubles(b), left_zero = as_doubles(a_zero),
                           right_zero = as_doubles(b_zero);
                for (int64_t i = 0; i < m; ++i)
                  for (int64_t j = 0; j < columns; ++j) {
                    double sum = 0;
                    for (int64_t l = 0; l < k; ++l)
                      sum += (left[static_cast<size_t>(i * k + l)] - left_zero[0]) *
                             (right[static_cast<size_t>(l * columns + j)] - right_zero[0]);
                    store(i, j, sum);
                  }
              })
      .pure();
  op.earlier(10, [](Op& o) {
    o.drop("TS")
        .input("a_scale", "tensor(float)")
        .input("b_scale", "tensor(float)")
        .input("y_scale", "tensor(float)")
        .types("T1", {i8, u8})
        .types("T2", {i8, u8})
        .types("T3", {i8, u8});
  });
}

}  // namespace
