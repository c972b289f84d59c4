// Not: y = !x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

// On bytes, which vectorise where bool does not.
struct Negation {
  static OG_INLINE uint8_t apply(uint8_t x) { return x == 0; }
};

OG_OP(Not, "", 1) {
  define_unary(op, "The negation of each element.", {boolean});
  op.kernel(cpu, boolean, &unary_run<Negation, uint8_t>);
}

}  // namespace
