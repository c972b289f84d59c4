// SequenceAt: one element of a sequence.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceAt, "", 11) {
  op.doc("The element at `position`; negative positions count from the end.")
      .input("input_sequence", "S")
      .input("position", "I")
      .output("tensor", "T")
      .type_strings("S", types::sequences)
      .types("T", types::tensor_before_bfloat)
      .types("I", {i32, i64})
      .infer([](Infer& c) {
        const og_type element = element_type(c, 0);
        if (element.kind != OG_ABSENT) c.out(0, element);
      })
      .kernel(cpu,
              [](Run& r) {
                const int64_t count = r.item_count(0);
                r.forward(0, r.item(0, position_in(r.input(1), count, count - 1)));
              })
      .pure();
}

}  // namespace
