// ReduceL2: the square root of the sum of squares over some axes.
#include <cmath>

#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

struct Fold {
  static constexpr bool kCopyWhenNoop = false;
  template <class T>
  static OG_INLINE T start() {
    return T(0);
  }
  template <class T>
  static OG_INLINE T step(T sum, T x) {
    return wrap_add(sum, wrap_mul(x, x));
  }
  template <class T>
  static OG_INLINE T join(T sum, T x) {
    return wrap_add(sum, x);
  }
  template <class T>
  static OG_INLINE T finish(T sum, int64_t) {
    return static_cast<T>(std::sqrt(sum));
  }
};

OG_OP(ReduceL2, "", 18) {
  define_reduce<Fold, float, double, int32_t, int64_t, uint32_t, uint64_t>(
      op, "The square root of the sum of squares over some axes.", types::high_precision, 18);
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace
