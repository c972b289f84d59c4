// Not: y = !x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Negation {
  template <class T>
  static OG_INLINE T apply(T x) {
    return !x;
  }
};

OG_OP(Not, "", 1) {
  define_unary(op, "The negation of each element.", {boolean});
  unary_kernels<Negation, bool>(op);
}

}  // namespace
