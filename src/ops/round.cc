// Round: y = the nearest integer, halves to even.
#include <opgraft/pointwise.h>
#include <cmath>

using namespace opgraft;
namespace {

struct Rounded {
  template <class T>
  static OG_INLINE T apply(T x) {
    return std::nearbyint(x);
  }
};

OG_OP(Round, "", 22) {
  define_unary(op, "Each element rounded to the nearest integer, halves to even.", types::floats, "X", "Y");
  unary_kernels<Rounded, float, double>(op);
  op.earlier(11, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
