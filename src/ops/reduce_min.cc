// ReduceMin: The smallest element over some axes; NaN wins.
#include <limits>

#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

struct Fold {
  static constexpr bool kCopyWhenNoop = true;
  template <class T>
  static OG_INLINE T start() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  template <class T>
  static OG_INLINE T step(T sum, T x) {
    return x < sum || x != x ? x : sum;
  }
  template <class T>
  static OG_INLINE T join(T sum, T x) {
    return x < sum || x != x ? x : sum;
  }
  template <class T>
  static OG_INLINE T finish(T sum, int64_t count) {
    (void)count;
    return sum;
  }
};

OG_OP(ReduceMin, "", 20) {
  define_reduce<Fold, float, double, int32_t, int64_t, uint32_t, uint64_t, int8_t, uint8_t>(
      op, "The smallest element over some axes; NaN wins.", types::high_precision + Dtypes{i8, u8, boolean}, 18);
  op.kernel(cpu, boolean, &reduce_run<Fold, uint8_t>);
  op.earlier(18, [](Op& o) { o.types("T", types::high_precision + Dtypes{i8, u8}); });
  op.earlier(12,
             [](Op& o) {
               o.types("T", types::high_precision_before_bfloat + Dtypes{i8, u8});
             })
      .earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); })
      .earlier(1);
}

}  // namespace
