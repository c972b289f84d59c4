// Identity: y = x.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(Identity, "", 25) {
  op.doc("A copy of the input, which may be a sequence or an optional; the engine makes it a view where it can.")
      .input("input", "V")
      .output("output", "V")
      .type_strings("V", types::values(types::all, types::tensor_before_bfloat, types::tensor_before_bfloat,
                                       types::tensor_before_bfloat))
      .infer([](Infer& c) {
        c.same(0, 0);
        const auto values = c.integers(0);
        if (values && c.ndim(0) <= 1) c.out_integers(0, *values, c.ndim(0) == 0);
      })
      .alias(0, 0)
      .kernel(cpu, [](Run& r) { r.forward(0, r.input(0).raw()); })
      .pure();
}

}  // namespace
