// OneHot: the on-value where an index points along a new axis, the off-value elsewhere.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

int64_t number(const Tensor& tensor) {
  if (tensor.numel() != 1) fail("depth must have one element, it has " + std::to_string(tensor.numel()));
  switch (tensor.dtype()) {
    case f32:
      return static_cast<int64_t>(*tensor.data<float>());
    case f64:
      return static_cast<int64_t>(*tensor.data<double>());
    case f16:
      return static_cast<int64_t>(static_cast<float>(*tensor.data<half_t>()));
    case i8:
      return *tensor.data<int8_t>();
    case i16:
      return *tensor.data<int16_t>();
    case i32:
      return *tensor.data<int32_t>();
    case u8:
      return *tensor.data<uint8_t>();
    case u16:
      return *tensor.data<uint16_t>();
    case u32:
      return *tensor.data<uint32_t>();
    default:
      return *tensor.data<int64_t>();
  }
}

template <class I>
int64_t index_of(I value) {
  if constexpr (std::is_floating_point_v<I>)
    return value >= I(-9e15) && value <= I(9e15) ? static_cast<int64_t>(value) : INT64_MIN;
  else
    return static_cast<int64_t>(value);
}

template <class I>
void run(Run& r) {
  const Tensor indices = r.input(0), values = r.input(2);
  const int64_t depth = number(r.input(1));
  if (depth < 0) fail("depth is " + std::to_string(depth));
  if (values.numel() != 2) fail("values must be [off, on], it has " + std::to_string(values.numel()) + " elements");
  Dims dims = indices.shape();
  const auto axis = normalize_axis(r.get("axis", int64_t(-1)), static_cast<int64_t>(dims.size()) + 1);
  const int64_t inner = indices.product(static_cast<int>(axis), indices.ndim()), count = indices.numel();
  dims.insert(dims.begin() + axis, depth);
  const Tensor y = r.output(0, dims);
  const I* index = indices.data<I>();
  const auto place = [&](int64_t i) {  // where the on-value goes; negative = nowhere
    int64_t at = index_of(index[i]);
    if (at < 0) at = at < -depth ? -1 : at + depth;
    return at >= depth || at < 0 ? int64_t(-1) : (i / inner * depth + at) * inner + i % inner;
  };
  if (values.dtype() == str) {
    for (int64_t i = 0; i < y.numel(); ++i) r.set_string(0, i, r.string(2, 0));
    for (int64_t i = 0; i < count; ++i)
      if (place(i) >= 0) r.set_string(0, place(i), r.string(2, 1));
    return;
  }
  by_size(element_bytes(values), [&](auto zero) {
    using T = decltype(zero);
    std::fill(y.data<T>(), y.data<T>() + y.numel(), values.data<T>()[0]);
    for (int64_t i = 0; i < count; ++i)
      if (place(i) >= 0) y.data<T>()[place(i)] = values.data<T>()[1];
  });
}

OG_OP(OneHot, "", 28) {
  op.doc(
        "values[1] where `indices` points along a new axis of `depth` elements, values[0] elsewhere; an index out of "
        "range points nowhere.")
      .input("indices", "T1")
      .input("depth", "T2")
      .input("values", "T3")
      .output("output", "T3")
      .attr("axis", -1)
      .types("T1", types::numeric_before_bfloat)
      .types("T2", types::numeric_before_bfloat)
      .types("T3", types::tensor)
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(2));
        Dims dims = c.dims(0);
        const auto axis = normalize_axis(c.get("axis", int64_t(-1)), c.ndim(0) + 1);
        const auto value = c.value(1);
        int64_t depth = kUnknown;
        if (value) depth = number(Tensor(*value));
        if (const auto symbols = c.integers(1); !value && symbols && symbols->size() == 1) depth = (*symbols)[0];
        if (value && depth < 0) fail("depth is " + std::to_string(depth));
        dims.insert(dims.begin() + axis, depth);
        c.out(0, c.dtype(2), dims);
      })
      .pure();
  const auto add = [&](auto... zero) {
    (op.kernel(cpu, std::vector<TypeBind>{{"T1", dtype_of<decltype(zero)>}}, &run<decltype(zero)>), ...);
  };
  add(float{}, double{}, int8_t{}, int16_t{}, int32_t{}, int64_t{}, uint8_t{}, uint16_t{}, uint32_t{}, uint64_t{});
  op.earlier(11, [](Op& o) { o.types("T3", types::tensor_before_bfloat); }).earlier(9);
}

}  // namespace
