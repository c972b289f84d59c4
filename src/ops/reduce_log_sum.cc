// ReduceLogSum: the logarithm of the sum over some axes.
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
    return wrap_add(sum, x);
  }
  template <class T>
  static OG_INLINE T join(T sum, T x) {
    return wrap_add(sum, x);
  }
  template <class T>
  static OG_INLINE T finish(T sum, int64_t) {
    return static_cast<T>(std::log(sum));
  }
};

OG_OP(ReduceLogSum, "", 28) {
  define_reduce<Fold, float, double>(op, "The logarithm of the sum over some axes.", types::floats, 18,
                                     types::high_precision);
  reduce_integers_before(op, 18);
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace
