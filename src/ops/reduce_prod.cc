// ReduceProd: The product over some axes.
#include <limits>

#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

struct Fold {
  static constexpr bool kCopyWhenNoop = true;
  template <class T>
  static OG_INLINE T start() {
    return T(1);
  }
  template <class T>
  static OG_INLINE T step(T sum, T x) {
    return wrap_mul(sum, x);
  }
  template <class T>
  static OG_INLINE T join(T sum, T x) {
    return wrap_mul(sum, x);
  }
  template <class T>
  static OG_INLINE T finish(T sum, int64_t count) {
    (void)count;
    return sum;
  }
};

OG_OP(ReduceProd, "", 18) {
  define_reduce<Fold, float, double, int32_t, int64_t, uint32_t, uint64_t>(op, "The product over some axes.",
                                                                           types::high_precision, 18);
  // The number of elements of a shape is followed.
  op.infer([](Infer& c) {
    const auto given = c.has(1) ? c.known_integers(1) : std::optional(std::vector<int64_t>{});
    const bool keep = c.get("keepdims", 1);
    if (!c.ranked(0)) return c.out(0, c.dtype(0));
    if (!given)
      return keep ? c.out(0, c.dtype(0), Dims(static_cast<size_t>(c.ndim(0)), kUnknown)) : c.out(0, c.dtype(0));
    const auto axes = reduced_axes(c, given, c.ndim(0));
    c.out(0, c.dtype(0), axes ? reduced_dims(c.dims(0), *axes, keep) : c.dims(0));
    const auto values = c.integers(0);
    if (!values || c.ndim(0) != 1 || !axes || axes->empty()) return;
    int64_t product = 1;
    for (int64_t value : *values) product = c.mul(product, value);
    c.out_integers(0, {product}, !keep);
  });
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace
