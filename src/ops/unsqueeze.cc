// Unsqueeze: The input with axes of size one put in.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

Dims unsqueezed(const Dims& in, const std::vector<int64_t>& named) {
  const auto axes = normalize_axes(named, static_cast<int64_t>(in.size() + named.size()));
  Dims out;
  size_t from = 0;
  for (size_t i = 0; i < in.size() + axes.size(); ++i)
    out.push_back(std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end() ? 1 : in[from++]);
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

OG_OP(Unsqueeze, "", 25) {
  op.doc("The input with axes of size one put in.")
      .input("data", "T")
      .input("axes", "tensor(int64)")
      .output("expanded", "T")
      .infer([](Infer& c) {
        const auto axes = c.known_integers(1);
        if (!c.ranked(0) || !axes) return c.out(0, c.dtype(0));
        c.out(0, c.dtype(0), unsqueezed(c.dims(0), *axes));
        const auto values = c.integers(0);
        if (values && c.ndim(0) == 0 && axes->size() == 1) c.out_integers(0, *values);
      })
      .kernel(cpu, [](Run& r) { copy(r, unsqueezed(r.input(0).shape(), r.input(1).integers())); })
      .types("T", types::all)
      .alias(0, 0)
      .version(
          24,
          [](Op& o) {
            o.input("data", "T").input("axes", "tensor(int64)").output("expanded", "T").types("T", types::tensor_24);
          },
          [](Graph& g) {
            g.node("Unsqueeze", {"data", "axes"}, {"expanded"});
          })
      .version(
          11,
          [](Op& o) {
            o.input("data", "T")
                .output("expanded", "T")
                .required_attr("axes", OG_ATTR_INTS)
                .types("T", types::tensor_before_bfloat);
          },
          [](Graph& g) {
            g.ints("list", g.Node::ints("axes"));
            g.node("Unsqueeze", {"data", "list"}, {"expanded"});
          })
      .pure();
  op.earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(1);
}

}  // namespace
