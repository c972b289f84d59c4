// Hardmax: 1 where the first largest element along an axis stands, 0 elsewhere.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  if (x.numel() == 0) return;
  const int axis = x.ndim() ? static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim())) : 0;
  const int64_t n = x.ndim() ? x.dim(axis) : 1, inner = x.product(axis + 1, x.ndim()), outer = x.numel() / (n * inner);
  const T* from = r.in<T>(0);
  T* to = r.out<T>(0);
  r.parallel_for(outer * inner, std::max<int64_t>(1, 8192 / n), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t base = row / inner * n * inner + row % inner;
      int64_t best = 0;
      for (int64_t k = 1; k < n; ++k)
        if (from[base + k * inner] > from[base + best * inner]) best = k;
      for (int64_t k = 0; k < n; ++k) to[base + k * inner] = T(k == best ? 1 : 0);
    }
  });
}

OG_OP(Hardmax, "", 13) {
  op.doc("1 at the first largest element along `axis`, 0 elsewhere.")
      .input("input", "T")
      .output("output", "T")
      .attr("axis", -1)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) > 0) normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0));
        c.same(0, 0);
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .version(
          11, [](Op& o) { o.input("input", "T").output("output", "T").attr("axis", 1).types("T", types::ieee); },
          [](Graph& g) {  // before 13 everything from `axis` on was one row
            g.node("Shape", {"input"}, {"dims"});
            g.node("Flatten", {"input"}, {"matrix"}).attr("axis", g.get("axis", int64_t(1)));
            g.node("Hardmax", {"matrix"}, {"rows"}).attr("axis", -1);
            g.node("Reshape", {"rows", "dims"}, {"output"}).attr("allowzero", 1);
          });
  op.earlier(1);
}

}  // namespace
