// ArgMin: where the smallest element along an axis stands.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
  const bool last = r.get("select_last_index", 0), keep = r.get("keepdims", 1);
  Dims dims = x.shape();
  const int64_t n = dims[static_cast<size_t>(axis)], inner = x.product(axis + 1, x.ndim()), outer = x.product(0, axis);
  if (keep)
    dims[static_cast<size_t>(axis)] = 1;
  else
    dims.erase(dims.begin() + axis);
  int64_t* y = r.output(0, dims).data<int64_t>();
  if (n == 0 && outer * inner > 0) fail("axis " + std::to_string(axis) + " is empty, it has no smallest element");
  r.parallel_for(outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, n * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const T* row = x.data<T>() + o * n * inner + i;
        int64_t best = 0;
        T value = row[0];
        for (int64_t k = 1; k < n; ++k) {
          const T candidate = row[k * inner];
          // NaN wins, as in NumPy; of several the first or the last.
          const bool better = candidate < value || (candidate != candidate && value == value);
          const bool equal = candidate == value || (candidate != candidate && value != value);
          if (better || (last && equal)) best = k, value = candidate;
        }
        y[o * inner + i] = best;
      }
  });
}

template <class... T>
void add_kernels(Op& op) {
  (op.kernel(cpu, dtype_of<T>, &run<T>), ...);
}

OG_OP(ArgMin, "", 13) {
  op.doc("The index of the smallest element along `axis`; of equal ones the first, or the last.")
      .input("data", "T")
      .output("reduced", "tensor(int64)")
      .attr("axis", 0)
      .attr("keepdims", 1)
      .attr("select_last_index", 0)
      .types("T", types::numeric)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, i64);
        Dims dims = c.dims(0);
        const auto axis = normalize_axis(c.get("axis", int64_t(0)), c.ndim(0));
        if (c.get("keepdims", 1))
          dims[static_cast<size_t>(axis)] = 1;
        else
          dims.erase(dims.begin() + axis);
        c.out(0, i64, dims);
      })
      .pure();
  add_kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
