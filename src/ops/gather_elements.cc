// GatherElements: one element per index, along one axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// Row by row of the last axis, which is either the one that is picked along or moves with the output.
template <class T, class I>
void pick(const Run& r, const T* x, const I* indices, T* y, const Dims& dims, const std::vector<int64_t>& strides,
          int axis, int64_t size) {
  Dims outer(dims.begin(), dims.end() - 1);
  std::vector<int64_t> steps(strides.begin(), strides.end() - 1);
  const bool along = axis == static_cast<int>(dims.size()) - 1;
  if (!along) steps[static_cast<size_t>(axis)] = 0;
  const int64_t step = strides[static_cast<size_t>(axis)], inner = dims.back();
  int64_t rows = 1;
  for (int64_t dim : outer) rows *= dim;
  r.parallel_for(rows, std::max<int64_t>(1, 16384 / inner), [&](int64_t begin, int64_t end) {
    detail::Odometer<1> at(outer, {&steps}, begin);
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + at.offsets[0];
      const I* index = indices + row * inner;
      T* to = y + row * inner;
      if (along)
        for (int64_t j = 0; j < inner; ++j) to[j] = from[index[j] + (index[j] < 0 ? size : 0)];
      else
        for (int64_t j = 0; j < inner; ++j) to[j] = from[j + (index[j] + (index[j] < 0 ? size : 0)) * step];
      at.next();
    }
  });
}

void pick_strings(Run& r, const std::vector<int64_t>& indices, const Dims& dims, const std::vector<int64_t>& strides,
                  int axis, int64_t size) {
  for (size_t i = 0; i < indices.size(); ++i) {
    auto rest = static_cast<int64_t>(i), from = int64_t(0);
    for (size_t d = dims.size(); d-- > 0;) {
      if (static_cast<int>(d) != axis) from += rest % dims[d] * strides[d];
      rest /= dims[d];
    }
    from += (indices[i] < 0 ? indices[i] + size : indices[i]) * strides[static_cast<size_t>(axis)];
    r.set_string(0, static_cast<int64_t>(i), r.string(0, from));
  }
}

template <class I>
void run(Run& r) {
  const Tensor x = r.input(0), indices = r.input(1);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
  const Dims dims = indices.shape();
  const Tensor y = r.output(0, dims);
  if (y.numel() == 0) return;
  if (dims.size() > detail::Odometer<1>::kMaxAxes) fail("data has more than 32 axes");
  const auto strides = row_major_strides(x.shape());
  const int64_t size = x.dim(axis);
  check_indices(indices.data<I>(), indices.numel(), axis, size);
  if (x.dtype() == str) return pick_strings(r, indices.integers(), dims, strides, axis, size);
  by_size(element_bytes(x), [&](auto zero) {
    using T = decltype(zero);
    pick(r, x.data<T>(), indices.data<I>(), y.data<T>(), dims, strides, axis, size);
  });
}

OG_OP(GatherElements, "", 13) {
  op.doc("output[..., i, ...] = data[..., indices[..., i, ...], ...] along `axis`.")
      .input("data", "T")
      .input("indices", "Tind")
      .output("output", "T")
      .attr("axis", 0)
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        if (!c.ranked(1)) return c.out(0, c.dtype(0));
        const Dims data = c.dims(0), indices = c.dims(1);
        c.out(0, c.dtype(0), indices);
        if (!c.ranked(0)) return;
        const auto axis = static_cast<size_t>(normalize_axis(c.get("axis", int64_t(0)), c.ndim(0)));
        if (data.size() != indices.size())
          fail("data has rank " + std::to_string(data.size()) + ", indices has rank " + std::to_string(indices.size()));
        for (size_t i = 0; i < data.size(); ++i)
          if (i != axis && is_known(data[i]) && is_known(indices[i]) && indices[i] > data[i])
            fail("dim " + std::to_string(i) + " of indices is " + std::to_string(indices[i]) +
                 ", that of data is only " + std::to_string(data[i]));
      })
      .kernel(cpu, {{"Tind", i32}}, &run<int32_t>)
      .kernel(cpu, {{"Tind", i64}}, &run<int64_t>)
      .pure();
  op.earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
