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
}

}  // namespace
