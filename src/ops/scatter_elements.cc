// ScatterElements: a copy of the data in which single elements along an axis are replaced or reduced.
#include <opgraft/scatter.h>
using namespace opgraft;
namespace {

// Calls visit(position in data, position in updates) in the order of the updates.
template <class F>
void for_each_update(const Tensor& data, const Tensor& indices, int axis, F visit) {
  const auto places = indices.integers();
  const auto strides = row_major_strides(data.shape());
  const int64_t size = data.dim(axis);
  std::vector<int64_t> at(static_cast<size_t>(indices.ndim()), 0);
  for (size_t i = 0; i < places.size(); ++i) {
    int64_t place = places[i];
    if (place < -size || place >= size)
      fail("index " + std::to_string(place) + " is out of range for axis " + std::to_string(axis) + " of size " +
           std::to_string(size));
    if (place < 0) place += size;
    int64_t to = 0;
    for (int d = 0; d < indices.ndim(); ++d)
      to += (d == axis ? place : at[static_cast<size_t>(d)]) * strides[static_cast<size_t>(d)];
    visit(to, static_cast<int64_t>(i));
    for (int d = indices.ndim(); d-- > 0;) {
      if (++at[static_cast<size_t>(d)] < indices.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

void run(Run& r) {
  const Tensor data = r.input(0), indices = r.input(1), updates = r.input(2);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), data.ndim()));
  if (indices.ndim() != data.ndim() || indices.shape() != updates.shape())
    fail("indices " + to_string(indices.shape()) + " and updates " + to_string(updates.shape()) +
         " must have the same dims and the rank of data " + to_string(data.shape()));
  for (int d = 0; d < data.ndim(); ++d)
    if (d != axis && indices.dim(d) > data.dim(d))
      fail("indices " + to_string(indices.shape()) + " do not fit in data " + to_string(data.shape()));
  const Reduction reduction = reduction_of(r);
  const Tensor y = r.output(0, data.shape());
  if (data.dtype() == str) {
    if (reduction != Reduction::none) fail("strings cannot be reduced");
    for (int64_t i = 0; i < data.numel(); ++i) r.set_string(0, i, r.string(0, i));
    return for_each_update(data, indices, axis,
                           [&](int64_t to, int64_t from) { r.set_string(0, to, r.string(2, from)); });
  }
  if (y.bytes() && y.data() != data.data()) std::memcpy(y.data(), data.data(), y.bytes());
  if (reduction == Reduction::none)
    return by_size(element_bytes(data), [&](auto zero) {
      using T = decltype(zero);
      for_each_update(data, indices, axis,
                      [&](int64_t to, int64_t from) { y.data<T>()[to] = updates.data<T>()[from]; });
    });
  by_reducible_type(data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for_each_update(data, indices, axis, [&](int64_t to, int64_t from) {
      reduce_into(y.data<T>()[to], updates.data<T>()[from], reduction);
    });
  });
}

struct Kernel {
  static bool supports(Prepare& p) {
    const int32_t type = p.input(0).dtype;
    return (type != f16 && type != bf16) || reduction_of(p) == Reduction::none;
  }
  void run(Run& r) const { ::run(r); }
};

OG_OP(ScatterElements, "", 18) {
  op.doc("data with output[..., indices[..., i, ...], ...] set to, or reduced with, updates[..., i, ...] along `axis`.")
      .input("data", "T")
      .input("indices", "Tind")
      .input("updates", "T")
      .output("output", "T")
      .attr("axis", 0)
      .attr("reduction", "none")
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        if (c.ranked(0)) normalize_axis(c.get("axis", int64_t(0)), c.ndim(0));
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
