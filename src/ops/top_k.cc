// TopK: the k largest or smallest elements along an axis, and where they were.
#include <cstring>
#include <functional>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// An unsigned number that grows with the value; NaN is above every number, and both zeros are one.
template <class T>
auto rank_of(T value) {
  using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr U kSign = U(1) << (sizeof(U) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return ~U(0);
    value += T(0);
    U bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits & kSign ? U(~bits) : U(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return U(U(std::make_signed_t<U>(value)) ^ kSign);
  } else {
    return U(value);
  }
}

// Orders elements by rank, among equals the lower index first; greater = earlier in the result.
struct Wide {
  uint64_t rank, index;  // index counts down
  bool operator>(const Wide& other) const { return rank != other.rank ? rank > other.rank : index > other.index; }
  static Wide make(uint64_t rank, int64_t index) { return {rank, ~static_cast<uint64_t>(index)}; }
  int64_t place() const { return static_cast<int64_t>(~index); }
};
struct Narrow {  // ranks and indices of 32 bits, compared as one number
  uint64_t key;
  bool operator>(const Narrow& other) const { return key > other.key; }
  static Narrow make(uint64_t rank, int64_t index) {
    return {rank << 32 | (0xffffffffu - static_cast<uint64_t>(index))};
  }
  int64_t place() const { return static_cast<int64_t>(0xffffffffu - (key & 0xffffffffu)); }
};

// A heap of the best k pays when most elements do not enter it.
bool by_heap(int64_t n, int64_t k) { return k <= n / 8; }

// The first k of `best` become the best elements in order; `best` holds k entries with a heap, else n.
template <class Key, class T>
void select(const T* row, int64_t n, int64_t step, int64_t k, bool largest, Key* best) {
  const auto make = [&](int64_t i) {
    const auto rank = rank_of(row[i * step]);
    return Key::make(largest ? rank : static_cast<decltype(rank)>(~rank), i);
  };
  const auto before = [](const Key& a, const Key& b) { return a > b; };
  const int64_t held = by_heap(n, k) ? k : n;
  for (int64_t i = 0; i < held; ++i) best[i] = make(i);
  if (by_heap(n, k)) {
    std::make_heap(best, best + k, before);  // the worst one on top
    for (int64_t i = k; i < n; ++i) {
      const Key key = make(i);
      if (!(key > best[0])) continue;
      int64_t hole = 0;
      for (int64_t child = 1; child < k; child = 2 * hole + 1) {
        if (child + 1 < k && best[child] > best[child + 1]) ++child;
        if (!(key > best[child])) break;
        best[hole] = best[child];
        hole = child;
      }
      best[hole] = key;
    }
  } else if (k < n) {
    std::nth_element(best, best + k, best + n, before);
  }
  std::sort(best, best + k, before);
}

template <class Key, class T>
void find(Run& r, const Tensor& x, int axis, int64_t k, T* values, int64_t* indices) {
  const int64_t n = x.dim(axis), inner = x.product(axis + 1, x.ndim()), rows = x.product(0, axis) * inner;
  const bool largest = r.get("largest", 1);  // always sorted: `sorted` 0 allows any order
  const int64_t held = by_heap(n, k) ? k : n;
  if (k == 0 || rows == 0) return;
  std::vector<Key> scratch(static_cast<size_t>(held * r.threads()));
  r.parallel_for(rows, std::max<int64_t>(1, 8192 / n), [&](int64_t begin, int64_t end, int32_t worker) {
    Key* best = scratch.data() + held * worker;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t o = row / inner, i = row % inner;
      const T* from = x.data<T>() + o * n * inner + i;
      select(from, n, inner, k, largest, best);
      for (int64_t j = 0; j < k; ++j) {
        const int64_t to = (o * k + j) * inner + i, place = best[j].place();
        values[to] = from[place * inner];
        if (indices) indices[to] = place;
      }
    }
  });
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(-1)), x.ndim()));
  const int64_t n = x.dim(axis), k = r.input(1).integers().at(0);
  if (k < 0 || k > n) fail("k = " + std::to_string(k) + " is not in [0, " + std::to_string(n) + "]");
  Dims dims = x.shape();
  dims[static_cast<size_t>(axis)] = k;
  T* values = r.output(0, dims).data<T>();
  int64_t* indices = r.uses_output(1) ? r.output(1, dims).data<int64_t>() : nullptr;
  if (sizeof(T) < 8 && n < int64_t(1) << 32)
    find<Narrow>(r, x, axis, k, values, indices);
  else
    find<Wide>(r, x, axis, k, values, indices);
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
          11,
          [](Op& o) {
            o.input("X", "T")
                .input("K", "tensor(int64)")
                .output("Values", "T")
                .output("Indices", "I")
                .attr("axis", -1)
                .attr("largest", 1)
                .attr("sorted", 1)
                .types("T", types::numeric_before_bfloat)
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
                .types("T", types::ieee)
                .types("I", {i64});
          },
          [](Graph& g) {
            g.ints("count", {g.get("k", int64_t(0))});
            g.node("TopK", {"X", "count"}, {"Values", "Indices"}).attr_from("axis");
          });
  add_kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(10, [](Op& o) { o.drop("sorted").drop("largest").types("T", types::ieee); });
}

}  // namespace
