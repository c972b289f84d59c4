// Expand: the input broadcast to a shape.
#include <opgraft/axes.h>
#include <opgraft/broadcast.h>
using namespace opgraft;
namespace {

OG_OP(Expand, "", 13) {
  op.doc("The input broadcast together with `shape`.")
      .input("input", "T")
      .input("shape", "tensor(int64)")
      .output("output", "T")
      .types("T", types::tensor)
      .infer([](Infer& c) {
        const auto shape = c.integers(1);
        if (!shape || !c.ranked(0)) return c.out(0, c.dtype(0));
        const Dims dims = broadcast_dims(c.dims(0), *shape);
        c.out(0, c.dtype(0), dims);
        const auto values = c.integers(0);
        if (values && values->size() == 1 && shape->size() == 1 && dims.size() == 1 && dims[0] >= 0 && dims[0] <= 64)
          c.out_integers(0, std::vector<int64_t>(static_cast<size_t>(dims[0]), (*values)[0]));
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const Dims dims = broadcast_dims(x.shape(), r.input(1).integers());
                std::vector<int64_t> steps(dims.size(), 0);
                const auto strides = row_major_strides(x.shape());
                const size_t lead = dims.size() - strides.size();
                for (size_t i = 0; i < strides.size(); ++i)
                  if (x.dim(static_cast<int64_t>(i)) != 1) steps[i + lead] = strides[i];
                move_elements(r, dims, steps);
              })
      .pure();
  op.earlier(8, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
