// ReduceSum: The sum over some axes.
#include <limits>

#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

struct Fold {
  static constexpr bool kCopyWhenNoop = true;
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
  static OG_INLINE T finish(T sum, int64_t count) {
    (void)count;
    return sum;
  }
};

OG_OP(ReduceSum, "", 13) {
  define_reduce<Fold, float, double, int32_t, int64_t, uint32_t, uint64_t>(op, "The sum over some axes.",
                                                                           types::high_precision, 13);
  op.earlier(1);
}

}  // namespace
