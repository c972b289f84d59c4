// MatMulInteger: the product of 8-bit matrices in 32 bits.
#include <opgraft/integer_matmul.h>
using namespace opgraft;
namespace {

void run(Run& r) {
  const Tensor a = r.input(0), b = r.input(1);
  const Tensor a_zero = r.has(2) ? r.input(2) : a, b_zero = r.has(3) ? r.input(3) : b;
  const auto left = without_zero_points(a, r.has(2) ? &a_zero : nullptr, a.ndim() > 1 ? a.ndim() - 2 : 0);
  const auto right = without_zero_points(b, r.has(3) ? &b_zero : nullptr, b.ndim() - 1);
  int32_t* y = r.out<int32_t>(0);
  integer_matmul(r, a.shape(), left, b.shape(), right,
                 [&](const int32_t* sums, int64_t row, int64_t n) { std::copy(sums, sums + n, y + row * n); });
}

OG_OP(MatMulInteger, "", 10) {
  op.doc("The matrix product of 8-bit tensors less their zero points, summed in int32.")
      .input("A", "T1")
      .input("B", "T2")
      .input("a_zero_point", "T1", optional)
      .input("b_zero_point", "T2", optional)
      .output("Y", "T3")
      .types("T1", {i8, u8})
      .types("T2", {i8, u8})
      .types("T3", {i32})
      .infer([](Infer& c) {
        if (!c.ranked(0) || !c.ranked(1)) return c.out(0, i32);
        c.out(0, i32, matmul_dims(c.dims(0), c.dims(1)));
      })
      .kernel(cpu, &run)
      .pure();
}

}  // namespace
