// Identity: y = x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

OG_OP(Identity, "", 25) {
  define_unary(op, "A copy of the input; the engine makes it a view where it can.", types::tensor, "input", "output");
  op.alias(0, 0);
  op.kernel(cpu, [](Run& r) { r.forward(0, r.input(0).raw()); });
}

}  // namespace
