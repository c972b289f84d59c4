// EyeLike: ones on a diagonal of a matrix of the input's shape, zeros elsewhere.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

dtype type_of(const Node& node, dtype input) {
  return node.has_attr("dtype") ? static_cast<dtype>(node.get("dtype", int64_t(0))) : input;
}

OG_OP(EyeLike, "", 22) {
  op.doc("Ones on the k-th diagonal, zeros elsewhere, in the shape of the input.")
      .input("input", "T1")
      .output("output", "T2")
      .optional_attr("dtype", OG_ATTR_INT)
      .attr("k", 0)
      .types("T1", types::numeric + Dtypes{boolean})
      .types("T2", types::numeric + Dtypes{boolean})
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) != 2)
          fail("input must be a matrix, it has " + std::to_string(c.ndim(0)) + " axes");
        const dtype type = type_of(c, c.dtype(0));
        if (type != any && (!is_dtype(type) || dtype_bits(type) < 8))
          fail("dtype " + std::to_string(int(type)) + " is not possible");
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), y = r.output(0, x.shape());
                if (y.bytes()) std::memset(y.data(), 0, y.bytes());
                const int64_t rows = x.dim(0), columns = x.dim(1), k = r.get("k", int64_t(0));
                by_size(element_bytes(y), [&](auto zero) {
                  using T = decltype(zero);
                  T one{};
                  const auto set = [&](auto value) { std::memcpy(&one, &value, std::min(sizeof(one), sizeof(value))); };
                  switch (y.dtype()) {
                    case f32:
                      set(1.0f);
                      break;
                    case f64:
                      set(1.0);
                      break;
                    case f16:
                      set(half_t(1.0f));
                      break;
                    case bf16:
                      set(bfloat_t(1.0f));
                      break;
                    default:
                      set(int64_t(1));  // the low bytes
                  }
                  for (int64_t row = 0; row < rows; ++row) {
                    const int64_t column = k > columns ? columns : row + k;
                    if (column >= 0 && column < columns) y.data<T>()[row * columns + column] = one;
                  }
                });
              })
      .pure();
  op.earlier(9, [](Op& o) {
    o.types("T1", types::numeric_before_bfloat + Dtypes{boolean})
        .types("T2", types::numeric_before_bfloat + Dtypes{boolean});
  });
}

}  // namespace
