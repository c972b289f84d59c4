// Squeeze: The input without axes of size one.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

Dims squeezed(const Dims& in, bool given, const std::vector<int64_t>& named) {
  Dims out;
  const auto axes = normalize_axes(named, static_cast<int64_t>(in.size()));
  for (size_t i = 0; i < in.size(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (listed && is_known(in[i]) && in[i] != 1)
      fail("axis " + std::to_string(i) + " has size " + std::to_string(in[i]) + ", only axes of size 1 can be removed");
    if (given ? !listed : in[i] != 1) out.push_back(in[i]);
  }
  return out;
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

OG_OP(Squeeze, "", 25) {
  op.doc("The input without axes of size one.")
      .input("data", "T")
      .input("axes", "tensor(int64)", optional)
      .output("squeezed", "T")
      .infer([](Infer& c) {
        const auto axes = c.has(1) ? c.known_integers(1) : std::vector<int64_t>{};
        if (!c.ranked(0) || !axes) return c.out(0, c.dtype(0));
        const Dims in = c.dims(0);
        if (!c.has(1))
          for (int64_t dim : in)
            if (is_symbol(dim)) return c.out(0, c.dtype(0));
        const Dims out = squeezed(in, c.has(1), *axes);
        c.out(0, c.dtype(0), out);
        if (const auto values = c.integers(0)) c.out_integers(0, *values, out.empty());
      })
      .kernel(
          cpu,
          [](Run& r) { copy(r, squeezed(r.input(0).shape(), r.has(1), r.has(1) ? r.input(1).integers() : Dims{})); })
      .types("T", types::all)
      .alias(0, 0)
      .version(
          24,
          [](Op& o) {
            o.input("data", "T")
                .input("axes", "tensor(int64)", optional)
                .output("squeezed", "T")
                .types("T", types::tensor_24);
          },
          [](Graph& g) {
            g.node("Squeeze", {"data", "axes"}, {"squeezed"});
          })
      .version(
          11,
          [](Op& o) {
            o.input("data", "T")
                .output("squeezed", "T")
                .optional_attr("axes", OG_ATTR_INTS)
                .types("T", types::tensor_before_bfloat);
          },
          [](Graph& g) {
            if (g.has_attr("axes")) g.ints("list", g.Node::ints("axes"));
            g.node("Squeeze", {"data", g.has_attr("axes") ? "list" : ""}, {"squeezed"});
          })
      .pure();
  op.earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(1);
}

}  // namespace
