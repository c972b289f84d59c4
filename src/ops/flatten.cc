// Flatten: The input as a matrix, cut before `axis`.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// The axis may equal the rank.
size_t cut(const Node& node, int64_t ndim) {
  int64_t axis = node.get("axis", int64_t(1));
  if (axis < -ndim || axis > ndim)
    fail("axis = " + std::to_string(axis) + " is out of range for rank " + std::to_string(ndim));
  return static_cast<size_t>(axis < 0 ? axis + ndim : axis);
}

void copy(Run& r, const Dims& dims) {
  const Tensor x = r.input(0);
  const Tensor y = r.output(0, dims);
  if (x.dtype() == str) {
    for (int64_t i = 0; i < x.numel(); ++i) r.set_string(0, i, r.string(0, i));
  } else if (x.bytes()) {
    std::memcpy(y.data(), x.data(), x.bytes());
  }
}

OG_OP(Flatten, "", 25) {
  op.doc("The input as a matrix, cut before `axis`.")
      .input("input", "T")
      .output("output", "T")
      .attr("axis", 1)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(0), Dims{kUnknown, kUnknown});
        const Dims in = c.dims(0);
        const size_t at = cut(c, c.ndim(0));
        Dims out{1, 1};
        for (size_t i = 0; i < in.size(); ++i) out[i < at ? 0 : 1] = c.mul(out[i < at ? 0 : 1], in[i]);
        c.out(0, c.dtype(0), out);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const int at = static_cast<int>(cut(r, x.ndim()));
                copy(r, Dims{x.product(0, at), x.product(at, x.ndim())});
              })
      .types("T", types::all)
      .alias(0, 0)
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); })
      .earlier(9)
      .earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
