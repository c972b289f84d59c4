// Reciprocal: y = 1 / x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Inverse {
  template <class T>
  static OG_INLINE T apply(T x) {
    return T(1) / x;
  }
};

OG_OP(Reciprocal, "", 13) {
  define_unary(op, "One divided by each element.", types::floats, "X", "Y");
  unary_kernels<Inverse, float, double>(op);
}

}  // namespace
