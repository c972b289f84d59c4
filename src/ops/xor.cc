// Xor: c = a ^ b over booleans, with broadcasting.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Logic {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    return a ^ b;
  }
};

OG_OP(Xor, "", 7) {
  define_compare(op, "Whether exactly one of two booleans holds.", {boolean});
  binary_kernels<Logic, bool>(op);
  op.earlier(
      1, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast);
}

}  // namespace
