// GatherElements: one element per index, along one axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(GatherElements, "", 13) {
  op.doc("output[..., i, ...] = data[..., indices[..., i, ...], ...] along `axis`.")
      .input("data", "T")
      .input("indices", "Tind")
      .output("output", "T")
      .attr("axis", 0)
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        if (c.ranked(1))
          c.out(0, c.dtype(0), c.dims(1));
        else
          c.out(0, c.dtype(0));
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), indices = r.input(1);
                if (x.ndim() != indices.ndim())
                  fail("data has rank " + std::to_string(x.ndim()) + ", indices has rank " +
                       std::to_string(indices.ndim()));
                const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
                const Dims dims = indices.shape();
                const Tensor y = r.output(0, dims);
                const auto strides = row_major_strides(x.shape());
                const int64_t size = x.dim(axis), total = indices.numel();
                for (int i = 0; i < x.ndim(); ++i)
                  if (i != axis && dims[static_cast<size_t>(i)] > x.dim(i))
                    fail("dim " + std::to_string(i) + " of indices exceeds that of data");
                std::vector<int64_t> position(dims.size(), 0);
                const bool text = x.dtype() == str;
                const int bytes = text ? 0 : element_bytes(x);
                for (int64_t i = 0; i < total; ++i) {
                  int64_t rest = i, from = 0;
                  for (size_t d = dims.size(); d-- > 0;) {
                    if (static_cast<int>(d) != axis) from += rest % dims[d] * strides[d];
                    rest /= dims[d];
                  }
                  int64_t pick = indices.dtype() == i64 ? indices.data<int64_t>()[i] : indices.data<int32_t>()[i];
                  if (pick < -size || pick >= size)
                    fail("index " + std::to_string(pick) + " is out of range for axis " + std::to_string(axis) +
                         " of size " + std::to_string(size));
                  from += (pick < 0 ? pick + size : pick) * strides[static_cast<size_t>(axis)];
                  if (text)
                    r.set_string(0, i, r.string(0, from));
                  else
                    std::memcpy(y.data<char>() + i * bytes, x.data<char>() + from * bytes, static_cast<size_t>(bytes));
                }
              })
      .pure();
}

}  // namespace
