// CumSum: running sum along an axis.
#include <opgraft/axes.h>
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  if (r.input(1).numel() != 1) fail("axis must have one element, it has " + std::to_string(r.input(1).numel()));
  const int axis = static_cast<int>(normalize_axis(r.input(1).integers()[0], x.ndim()));
  if (x.numel() == 0) return;
  const bool exclusive = r.get("exclusive", 0), reverse = r.get("reverse", 0);
  const int64_t n = x.dim(axis), inner = x.product(axis + 1, x.ndim()), outer = x.product(0, axis);
  const T* from = r.in<T>(0);
  T* to = r.out<T>(0);
  const int64_t step = reverse ? -inner : inner, first = reverse ? (n - 1) * inner : 0;
  r.parallel_for(outer, std::max<int64_t>(1, 16384 / (n * inner)), [=](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const T* in = from + o * n * inner + first + i;
        T* out = to + o * n * inner + first + i;
        T total = T(0);
        for (int64_t k = 0; k < n; ++k, in += step, out += step) {
          const T value = *in;
          if (exclusive) *out = total;
          total = wrap_add(total, value);
          if (!exclusive) *out = total;
        }
      }
  });
}

OG_OP(CumSum, "", 14) {
  op.doc("The running sum along `axis`.")
      .input("x", "T")
      .input("axis", "T2")
      .output("y", "T")
      .attr("exclusive", 0)
      .attr("reverse", 0)
      .types("T", types::high_precision)
      .types("T2", {i32, i64})
      .infer([](Infer& c) { c.same(0, 0); })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .kernel(cpu, i32, &run<int32_t>)
      .kernel(cpu, i64, &run<int64_t>)
      .kernel(cpu, u32, &run<uint32_t>)
      .kernel(cpu, u64, &run<uint64_t>);
  op.earlier(11, [](Op& o) { o.types("T", {f32, f64, i32, i64, u32, u64}); });
}

}  // namespace
