// Tile: the input repeated along each axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(Tile, "", 13) {
  op.doc("The input repeated `repeats` times along each axis.")
      .input("input", "T")
      .input("repeats", "tensor(int64)")
      .output("output", "T")
      .types("T", types::tensor)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        const auto repeats = c.integers(1);
        Dims dims = c.dims(0);
        if (repeats && repeats->size() != dims.size())
          fail("repeats has " + std::to_string(repeats->size()) + " entries for rank " + std::to_string(dims.size()));
        for (size_t i = 0; i < dims.size(); ++i) dims[i] = repeats ? c.mul(dims[i], (*repeats)[i]) : kUnknown;
        c.out(0, c.dtype(0), dims);
      })
      .kernel(cpu,
              [](Run& r) {
                // Each axis becomes two: the repetition, which does not move, and the axis itself.
                const Tensor x = r.input(0);
                const auto repeats = r.input(1).integers();
                const auto strides = row_major_strides(x.shape());
                Dims dims, result;
                std::vector<int64_t> steps;
                for (int i = 0; i < x.ndim(); ++i) {
                  dims.insert(dims.end(), {repeats[static_cast<size_t>(i)], x.dim(i)});
                  steps.insert(steps.end(), {0, strides[static_cast<size_t>(i)]});
                  result.push_back(repeats[static_cast<size_t>(i)] * x.dim(i));
                }
                const Tensor y = r.output(0, result);
                if (x.dtype() == str) return gather_strings(r, dims, steps, 0);
                by_size(element_bytes(x), [&](auto zero) {
                  using T = decltype(zero);
                  gather_strided(r, x.data<T>(), y.data<T>(), dims, steps);
                });
              })
      .pure();
  op.earlier(6, [](Op& o) { o.types("T", types::tensor_before_bfloat); })
      .version(
          1,
          [](Op& o) {
            o.input("input", "T").input("tiles", "T").input("axis", "T").output("output", "T").types("T", types::ieee);
          },
          [](Graph& g) {  // one axis is repeated, both numbers have the type of the data
            g.node("Cast", {"tiles"}, {"times"}).attr("to", int64_t(i64));
            g.node("Cast", {"axis"}, {"which"}).attr("to", int64_t(i64));
            g.node("Shape", {"input"}, {"dims"});
            g.node("Size", {"dims"}, {"rank"});
            g.scalar("zero", int64_t(0));
            g.scalar("one", int64_t(1));
            g.node("Range", {"zero", "rank", "one"}, {"axes"});
            g.node("Equal", {"axes", "which"}, {"chosen"});
            g.node("Where", {"chosen", "times", "one"}, {"repeats"});
            g.node("Tile", {"input", "repeats"}, {"output"});
          });
}

}  // namespace
