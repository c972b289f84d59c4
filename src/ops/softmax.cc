// Softmax: e^x over the sum of e^x along one axis, shifted by the largest element.
#include <cmath>

#include <opgraft/axes.h>
#include <opgraft/services.h>
using namespace opgraft;
namespace {

template <class T>
void row(const og_cpu_math* math, const T* x, T* y, int64_t n) {
  if constexpr (std::is_same_v<T, float>)
    if (math) return math->softmax(x, y, n);
  T largest = x[0], sum = 0;
  for (int64_t i = 1; i < n; ++i) largest = x[i] > largest || x[i] != x[i] ? x[i] : largest;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);

  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

template <class T>
struct Kernel {
  const og_cpu_math* math = nullptr;
  void pack(Pack&) { math = service<og_cpu_math>(OG_CPU_MATH); }
  void run(Run& r) const {
    const Tensor x = r.input(0);
    if (x.numel() == 0) return;
    const int axis = x.ndim() ? static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim())) : 0;
    const int64_t n = x.ndim() ? x.dim(axis) : 1, inner = x.product(axis + 1, x.ndim());
    const T* from = r.in<T>(0);
    T* to = r.out<T>(0);
    const int64_t rows = x.numel() / n;
    r.parallel_for(rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
      std::vector<T> line(inner == 1 ? 0 : static_cast<size_t>(n));
      for (int64_t i = begin; i < end; ++i) {
        if (inner == 1) {
          row(math, from + i * n, to + i * n, n);
          continue;
        }
        const int64_t base = i / inner * n * inner + i % inner;
        for (int64_t k = 0; k < n; ++k) line[static_cast<size_t>(k)] = from[base + k * inner];
        row(math, line.data(), line.data(), n);
        for (int64_t k = 0; k < n; ++k) to[base + k * inner] = line[static_cast<size_t>(k)];
      }
    });
  }
};

OG_OP(Softmax, "", 13) {
  op.doc("e^x divided by its sum along `axis`.")
      .input("input", "T")
      .output("output", "T")
      .attr("axis", -1)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) > 0) normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0));
        c.same(0, 0);
      })
      .inplace(0, 0)
      .pure()
      .version(
          1, [](Op& o) { o.input("input", "T").output("output", "T").attr("axis", 1).types("T", types::floats); },
          [](Graph& g) {  // before 13 everything from `axis` on was one row
            g.node("Shape", {"input"}, {"dims"});
            g.node("Flatten", {"input"}, {"matrix"}).attr("axis", g.get("axis", int64_t(1)));
            g.node("Softmax", {"matrix"}, {"rows"}).attr("axis", -1);
            g.node("Reshape", {"rows", "dims"}, {"output"}).attr("allowzero", 1);
          });
  op.kernel<Kernel<float>>(cpu, f32);
  op.kernel<Kernel<double>>(cpu, f64);
}

}  // namespace
