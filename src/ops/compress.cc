// Compress: the slices along an axis (or the elements) for which a condition is true.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(Compress, "", 28) {
  op.doc(
        "Slices along `axis` whose condition is true; without axis, elements of the flattened input. Missing "
        "conditions are false.")
      .input("input", "T")
      .input("condition", "T1")
      .output("output", "T")
      .optional_attr("axis", OG_ATTR_INT)
      .types("T", types::tensor)
      .types("T1", {boolean})
      .infer([](Infer& c) {
        if (!c.has_attr("axis")) return c.out(0, c.dtype(0), Dims{kUnknown});
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        Dims dims = c.dims(0);
        dims[static_cast<size_t>(normalize_axis(c.get("axis", int64_t(0)), c.ndim(0)))] = kUnknown;
        c.out(0, c.dtype(0), dims);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), condition = r.input(1);
                const bool flat = !r.has_attr("axis");
                const int axis = flat ? 0 : static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
                const int64_t size = flat ? x.numel() : x.dim(axis);
                const int64_t outer = flat ? 1 : x.product(0, axis), row = flat ? 1 : x.product(axis + 1, x.ndim());
                const bool* chosen = condition.data<bool>();
                std::vector<int64_t> picks;
                for (int64_t i = 0; i < std::min(size, condition.numel()); ++i)
                  if (chosen[i]) picks.push_back(i);
                const auto count = static_cast<int64_t>(picks.size());
                Dims dims = flat ? Dims{count} : x.shape();
                if (!flat) dims[static_cast<size_t>(axis)] = count;
                const Tensor y = r.output(0, dims);
                if (x.dtype() == str) {
                  int64_t to = 0;
                  for (int64_t o = 0; o < outer; ++o)
                    for (const int64_t pick : picks)
                      for (int64_t j = 0; j < row; ++j) r.set_string(0, to++, r.string(0, (o * size + pick) * row + j));
                  return;
                }
                const int64_t bytes = row * element_bytes(x);
                for (int64_t& pick : picks) pick *= bytes;
                copy_picked_rows(r, y.data<char>(), x.data<char>(), outer, size * bytes, picks, bytes);
              })
      .pure();
  op.earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); }).earlier(9);
}

}  // namespace
