// LpNormalization: x over its L1 or L2 norm along an axis; zero where the norm is zero.
#include <cmath>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

int64_t power(const Node& node) {
  const int64_t p = node.get("p", int64_t(2));
  if (p != 1 && p != 2) fail("p is " + std::to_string(p) + ", expected 1 or 2");
  return p;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  if (x.numel() == 0) return;
  const bool square = power(r) == 2;
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim()));
  const int64_t n = x.dim(axis), inner = x.product(axis + 1, x.ndim());
  const T* from = r.in<T>(0);
  T* to = r.out<T>(0);
  r.parallel_for(x.numel() / n, std::max<int64_t>(1, 8192 / n), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t base = row / inner * n * inner + row % inner;
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        const double value = from[base + k * inner];
        sum += square ? value * value : std::fabs(value);
      }
      const double norm = square ? std::sqrt(sum) : sum;
      for (int64_t k = 0; k < n; ++k)
        to[base + k * inner] = norm == 0 ? T(0) : static_cast<T>(from[base + k * inner] / norm);
    }
  });
}

OG_OP(LpNormalization, "", 22) {
  op.doc("x over its norm of order p (1 or 2) along `axis`.")
      .input("input", "T")
      .output("output", "T")
      .attr("axis", -1)
      .attr("p", 2)
      .types("T", types::floats)
      .infer([](Infer& c) {
        power(c);
        if (c.ranked(0)) normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0));
        c.same(0, 0);
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
