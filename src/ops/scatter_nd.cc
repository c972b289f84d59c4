// ScatterND: a copy of the data in which slices are replaced or reduced.
#include <opgraft/scatter.h>
using namespace opgraft;
namespace {

void run(Run& r) {
  const Tensor data = r.input(0), indices = r.input(1), updates = r.input(2);
  if (indices.ndim() < 1) fail("indices must have at least one axis");
  const int64_t depth = indices.dim(-1);
  if (depth > data.ndim())
    fail("indices name " + std::to_string(depth) + " axes, data has " + std::to_string(data.ndim()));
  Dims wanted(indices.dims(), indices.dims() + indices.ndim() - 1);
  for (int d = static_cast<int>(depth); d < data.ndim(); ++d) wanted.push_back(data.dim(d));
  if (updates.shape() != wanted) fail("updates " + to_string(updates.shape()) + " must be " + to_string(wanted));
  const Reduction reduction = reduction_of(r);
  const Tensor y = r.output(0, data.shape());
  const auto strides = row_major_strides(data.shape());
  const int64_t slice = data.product(static_cast<int>(depth), data.ndim()),
                count = indices.product(0, indices.ndim() - 1);
  std::vector<int64_t> places(static_cast<size_t>(count), 0);
  const int64_t* index = indices.data<int64_t>();
  for (int64_t i = 0; i < count; ++i)
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t size = data.dim(static_cast<int>(d));
      int64_t at = index[i * depth + d];
      if (at < -size || at >= size)
        fail("index " + std::to_string(at) + " is out of range for axis " + std::to_string(d) + " of size " +
             std::to_string(size));
      places[static_cast<size_t>(i)] += (at < 0 ? at + size : at) * strides[static_cast<size_t>(d)];
    }
  if (data.dtype() == str) {
    if (reduction != Reduction::none) fail("strings cannot be reduced");
    for (int64_t i = 0; i < data.numel(); ++i) r.set_string(0, i, r.string(0, i));
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < slice; ++j)
        r.set_string(0, places[static_cast<size_t>(i)] + j, r.string(2, i * slice + j));
    return;
  }
  if (y.bytes() && y.data() != data.data()) std::memcpy(y.data(), data.data(), y.bytes());
  if (reduction == Reduction::none) {
    const int64_t bytes = element_bytes(data);
    for (int64_t i = 0; i < count && slice > 0; ++i)
      std::memcpy(y.data<char>() + places[static_cast<size_t>(i)] * bytes, updates.data<char>() + i * slice * bytes,
                  static_cast<size_t>(slice * bytes));
    return;
  }
  by_reducible_type(data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      T* to = y.data<T>() + places[static_cast<size_t>(i)];
      const T* from = updates.data<T>() + i * slice;
      for (int64_t j = 0; j < slice; ++j) reduce_into(to[j], from[j], reduction);
    }
  });
}

struct Kernel {
  static bool supports(Prepare& p) {
    const int32_t type = p.input(0).dtype;
    return (type != f16 && type != bf16) || reduction_of(p) == Reduction::none;
  }
  void run(Run& r) const { ::run(r); }
};

OG_OP(ScatterND, "", 18) {
  op.doc("data in which the slices that `indices` names are set to, or reduced with, those of updates.")
      .input("data", "T")
      .input("indices", "tensor(int64)")
      .input("updates", "T")
      .output("output", "T")
      .attr("reduction", "none")
      .types("T", types::tensor)
      .infer([](Infer& c) {
        reduction_of(c);
        c.same(0, 0);
      })
      .body(&raise_reduction_of_halves)
      .kernel<Kernel>(cpu)
      .pure();
  op.earlier(16).earlier(13, [](Op& o) { o.drop("reduction"); }).earlier(11, [](Op& o) {
    o.types("T", types::tensor_before_bfloat);
  });
}

}  // namespace
