// Det: the determinant of square matrices, by elimination with the largest pivot of each column.
#include <cmath>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

template <class T>
T determinant(std::vector<T>& m, int64_t n) {
  T result = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(m[static_cast<size_t>(i * n + k)]) > std::fabs(m[static_cast<size_t>(pivot * n + k)])) pivot = i;
    if (m[static_cast<size_t>(pivot * n + k)] == T(0)) return T(0);
    if (pivot != k) {
      std::swap_ranges(m.begin() + k * n, m.begin() + (k + 1) * n, m.begin() + pivot * n);
      result = -result;
    }
    const T diagonal = m[static_cast<size_t>(k * n + k)];
    result *= diagonal;
    for (int64_t i = k + 1; i < n; ++i) {
      const T factor = m[static_cast<size_t>(i * n + k)] / diagonal;
      for (int64_t j = k + 1; j < n; ++j)
        m[static_cast<size_t>(i * n + j)] -= factor * m[static_cast<size_t>(k * n + j)];
    }
  }
  return result;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int64_t n = x.dim(-1), count = x.product(0, x.ndim() - 2);
  std::vector<T> matrix(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(x.data<T>() + i * n * n, n * n, matrix.begin());
    r.out<T>(0)[i] = determinant(matrix, n);
  }
}

OG_OP(Det, "", 22) {
  op.doc("The determinant of each square matrix.")
      .input("X", "T")
      .output("Y", "T")
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        const Dims x = c.dims(0);
        if (x.size() < 2) fail("X must have at least 2 axes, it has " + std::to_string(x.size()));
        const int64_t rows = x[x.size() - 2], columns = x.back();
        if (!is_symbol(rows) && !is_symbol(columns) && rows != columns)
          fail("matrices must be square, they are " + std::to_string(rows) + " by " + std::to_string(columns));
        c.out(0, c.dtype(0), Dims(x.begin(), x.end() - 2));
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(11, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
