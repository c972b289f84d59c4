// ConstantOfShape: a tensor of one value.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(ConstantOfShape, "", 25) {
  op.doc("A tensor of the dims of the input, filled with `value` (float 0 when absent).")
      .input("input", "T1")
      .output("output", "T2")
      .optional_attr("value", OG_ATTR_TENSOR)
      .types("T1", {i64})
      .types("T2",
             types::numeric + Dtypes{boolean, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, u4, i4, f4e2m1, f8e8m0, u2, i2})
      .infer([](Infer& c) {
        const auto attr = c.find("value");
        const dtype type = attr ? static_cast<dtype>(attr->tensors[0].dtype) : f32;
        if (attr && Tensor(attr->tensors[0]).numel() != 1) fail("value must have one element");
        const auto shape = c.integers(0);
        if (!shape) {
          const int64_t rank = c.dim(0, 0);
          return is_known(rank) && rank < 64 ? c.out(0, type, Dims(static_cast<size_t>(rank), kUnknown))
                                             : c.out(0, type);
        }
        c.out(0, type, *shape);
        if ((type == i64 || type == i32) && shape->size() <= 1 &&
            (shape->empty() || (is_known((*shape)[0]) && (*shape)[0] <= 64)))
          c.out_integers(0,
                         std::vector<int64_t>(shape->empty() ? 1 : static_cast<size_t>((*shape)[0]),
                                              Tensor(attr->tensors[0]).integers()[0]),
                         shape->empty());
      })
      .kernel(cpu,
              [](Run& r) {
                const auto attr = r.find("value");
                const Tensor y = r.output(0, r.input(0).integers());
                if (!attr) {
                  std::memset(y.data(), 0, y.bytes());
                  return;
                }
                const int bits = dtype_bits(y.dtype());
                if (bits < 8) {  // every field of each byte gets the value
                  const uint8_t value = unpack_elements(Tensor(attr->tensors[0]))[0];
                  return pack_elements(std::vector<uint8_t>(static_cast<size_t>(y.numel()), value), y);
                }
                by_size(bits / 8, [&](auto zero) {
                  using T = decltype(zero);
                  std::fill(y.data<T>(), y.data<T>() + y.numel(), *Tensor(attr->tensors[0]).data<T>());
                });
              })
      .pure();
  op.earlier(24,
             [](Op& o) {
               o.types("T2", types::numeric + types::float8 + Dtypes{boolean, u4, i4, f4e2m1, f8e8m0});
             })
      .earlier(23,
               [](Op& o) {
                 o.types("T2", types::numeric + types::float8 + Dtypes{boolean, u4, i4, f4e2m1});
               })
      .earlier(21,
               [](Op& o) {
                 o.types("T2", types::numeric + types::float8 + Dtypes{boolean, u4, i4});
               })
      .earlier(20, [](Op& o) { o.types("T2", types::numeric + types::float8 + Dtypes{boolean}); })
      .earlier(9, [](Op& o) { o.types("T2", types::numeric_before_bfloat + Dtypes{boolean}); });
}

}  // namespace
