// ReduceMean: The mean over some axes.
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
    if constexpr (std::is_integral_v<T>)
      if (count == 0) return sum;
    return static_cast<T>(sum / static_cast<T>(count));
  }
};

OG_OP(ReduceMean, "", 18) {
  define_reduce<Fold, float, double, int32_t, int64_t, uint32_t, uint64_t>(op, "The mean over some axes.",
                                                                           types::high_precision, 18);
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace
