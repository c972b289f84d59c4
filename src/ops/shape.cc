// Shape: the dims of the input, or of a range of its axes.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

std::pair<int64_t, int64_t> range(const Node& node, int64_t ndim) {
  const auto clamp = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + ndim : axis, 0, ndim); };
  const int64_t start = clamp(node.get("start", int64_t(0))), end = clamp(node.get("end", ndim));
  return {start, std::max(start, end)};
}

OG_OP(Shape, "", 25) {
  op.doc("The dims of the input from axis `start` to `end`.")
      .input("data", "T")
      .output("shape", "T1")
      .attr("start", 0)
      .optional_attr("end", OG_ATTR_INT)
      .types("T", types::all)
      .types("T1", {i64})
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, i64, Dims{kUnknown});
        const Dims dims = c.dims(0);
        const auto [start, end] = range(c, c.ndim(0));
        c.out(0, i64, Dims{end - start});
        c.out_integers(0, std::vector<int64_t>(dims.begin() + start, dims.begin() + end));
      })
      .kernel(cpu,
              [](Run& r) {
                const auto [start, end] = range(r, r.input(0).ndim());
                int64_t* y = r.output(0, Dims{end - start}).data<int64_t>();
                for (int64_t i = start; i < end; ++i) y[i - start] = r.input(0).dim(i);
              })
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("T", types::tensor_19); })
      .earlier(15, [](Op& o) { o.types("T", types::tensor); })
      .earlier(13, [](Op& o) { o.drop("end").drop("start"); })
      .earlier(1, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
