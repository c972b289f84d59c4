// TopK: the k largest or smallest elements along an axis, and where they were.
#include <numeric>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// NaN counts as larger than every number; among equals the lower index comes first.
template <class T>
bool above(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return b == b;
    if (b != b) return false;
  }
  return a > b;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim()));
  const int64_t n = x.dim(axis), k = r.input(1).integers().at(0), inner = x.product(axis + 1, x.ndim()),
                outer = x.product(0, axis);
  const bool largest = r.get("largest", 1);  // always sorted: `sorted` 0 allows any order
  if (k < 0 || k > n) fail("k = " + std::to_string(k) + " is not in [0, " + std::to_string(n) + "]");
  Dims dims = x.shape();
  dims[static_cast<size_t>(axis)] = k;
  T* values = r.output(0, dims).data<T>();
  int64_t* indices = r.uses_output(1) ? r.output(1, dims).data<int64_t>() : nullptr;
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const T* row = x.data<T>() + o * n * inner + i;
      std::iota(order.begin(), order.end(), 0);
      const auto before = [&](int64_t a, int64_t b) {
        const T va = row[a * inner], vb = row[b * inner];
        if (largest ? above(va, vb) : above(vb, va)) return true;
        if (largest ? above(vb, va) : above(va, vb)) return false;
        return a < b;
      };
      if (k < n) std::nth_element(order.begin(), order.begin() + k, order.end(), before);
      std::sort(order.begin(), order.begin() + k, before);
      for (int64_t j = 0; j < k; ++j) {
        values[(o * k + j) * inner + i] = row[order[static_cast<size_t>(j)] * inner];
        if (indices) indices[(o * k + j) * inner + i] = order[static_cast<size_t>(j)];
      }
    }
}

template <class... T>
void add_kernels(Op& op) {
  (op.kernel(cpu, dtype_of<T>, &run<T>), ...);
}

OG_OP(TopK, "", 24) {
  op.doc("The K largest (or smallest) elements along `axis` and their indices.")
      .input("X", "T")
      .input("K", "tensor(int64)")
      .output("Values", "T")
      .output("Indices", "I")
      .attr("axis", -1)
      .attr("largest", 1)
      .attr("sorted", 1)
      .types("T", types::numeric)
      .types("I", {i64})
      .infer([](Infer& c) {
        const auto k = c.integers(1);
        if (!c.ranked(0)) {
          c.out(0, c.dtype(0));
          return c.out(1, i64);
        }
        Dims dims = c.dims(0);
        const auto axis = static_cast<size_t>(normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0)));
        if (k && k->size() != 1) fail("K must have one element");
        if (k && is_known((*k)[0]) && is_known(dims[axis]) && ((*k)[0] < 0 || (*k)[0] > dims[axis]))
          fail("K = " + std::to_string((*k)[0]) + " is not in [0, " + std::to_string(dims[axis]) + "]");
        dims[axis] = k ? (*k)[0] : kUnknown;
        c.out(0, c.dtype(0), dims);
        c.out(1, i64, dims);
      })
      .pure()
      .version(
          10,
          [](Op& o) {
            o.input("X", "T")
                .input("K", "tensor(int64)")
                .output("Values", "T")
                .output("Indices", "I")
                .attr("axis", -1)
                .attr("largest", 1)
                .attr("sorted", 1)
                .types("T", types::numeric)
                .types("I", {i64});
          },
          [](Graph& g) {
            g.node("TopK", {"X", "K"}, {"Values", "Indices"})
                .attr_from("axis")
                .attr_from("largest")
                .attr_from("sorted");
          })
      .version(
          1,
          [](Op& o) {
            o.input("X", "T")
                .output("Values", "T")
                .output("Indices", "I")
                .attr("axis", -1)
                .required_attr("k", OG_ATTR_INT)
                .types("T", types::floats)
                .types("I", {i64});
          },
          [](Graph& g) {
            g.ints("count", {g.get("k", int64_t(0))});
            g.node("TopK", {"X", "count"}, {"Values", "Indices"}).attr_from("axis");
          });
  add_kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
