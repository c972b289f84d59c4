// Transpose: axes in another order.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

std::vector<int64_t> permutation(const Node& node, int64_t ndim) {
  std::vector<int64_t> perm = node.ints("perm");
  if (perm.empty())
    for (int64_t axis = ndim; axis-- > 0;) perm.push_back(axis);
  if (static_cast<int64_t>(perm.size()) != ndim)
    fail("perm has " + std::to_string(perm.size()) + " entries, the input has rank " + std::to_string(ndim));
  return normalize_axes(perm, ndim);
}

OG_OP(Transpose, "", 25) {
  op.doc("The input with its axes in the order of `perm` (reversed when absent).")
      .input("data", "T")
      .output("transposed", "T")
      .optional_attr("perm", OG_ATTR_INTS)
      .types("T", types::all)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        const Dims in = c.dims(0);
        Dims out;
        for (int64_t axis : permutation(c, c.ndim(0))) out.push_back(in[static_cast<size_t>(axis)]);
        c.out(0, c.dtype(0), out);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const auto strides = row_major_strides(x.shape());
                Dims dims;
                std::vector<int64_t> steps;
                for (int64_t axis : permutation(r, x.ndim())) {
                  dims.push_back(x.dim(axis));
                  steps.push_back(strides[static_cast<size_t>(axis)]);
                }
                move_elements(r, dims, steps);
              })
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(1, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
