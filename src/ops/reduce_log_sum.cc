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

constexpr const char* kDoc = "The logarithm of the sum over some axes.";

OG_OP(ReduceLogSum, "", 28) {
  describe_reduce(op, kDoc, types::floats)
      .kernel(cpu, f32, &reduce_run<Fold, float>)
      .kernel(cpu, f64, &reduce_run<Fold, double>);
}

namespace version_18 {

OG_OP(ReduceLogSum, "", 18) { define_reduce_with_integers(op, kDoc); }

}  // namespace version_18

}  // namespace
