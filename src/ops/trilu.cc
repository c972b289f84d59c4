// Trilu: the upper or lower triangle of matrices, zeros elsewhere.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(Trilu, "", 14) {
  op.doc("The triangle of each matrix on and above (or below) its k-th diagonal; zeros elsewhere.")
      .input("input", "T")
      .input("k", "tensor(int64)", optional)
      .output("output", "T")
      .attr("upper", 1)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) < 2) fail("input must have at least 2 axes, it has " + std::to_string(c.ndim(0)));
        c.same(0, 0);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), y = r.output(0, x.shape());
                const int64_t rows = x.dim(-2), columns = x.dim(-1), total = x.numel();
                int64_t k = r.has(1) && r.input(1).numel() ? r.input(1).integers()[0] : 0;
                k = std::clamp(k, -rows - 1, columns + 1);
                const bool upper = r.get("upper", 1);
                const auto keeps = [=](int64_t i) {
                  const int64_t row = i / columns % rows, column = i % columns;
                  return upper ? column - row >= k : column - row <= k;
                };
                if (x.dtype() == str) {
                  for (int64_t i = 0; i < total; ++i)
                    if (keeps(i)) r.set_string(0, i, r.string(0, i));
                  return;
                }
                by_size(element_bytes(x), [&](auto zero) {
                  using T = decltype(zero);
                  const T* from = x.data<T>();
                  T* to = y.data<T>();
                  for (int64_t row = 0; columns && row < total / columns; ++row) {
                    const int64_t at = row % rows;
                    const int64_t begin = upper ? std::clamp<int64_t>(at + k, 0, columns) : 0;
                    const int64_t end = upper ? columns : std::clamp<int64_t>(at + k + 1, 0, columns);
                    std::fill(to, to + columns, T{});
                    if (begin < end) std::copy(from + begin, from + end, to + begin);
                    from += columns;
                    to += columns;
                  }
                });
              })
      .pure();
}

}  // namespace
