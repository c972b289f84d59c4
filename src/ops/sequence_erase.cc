// SequenceErase: a sequence without one of its elements.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceErase, "", 11) {
  op.doc("The sequence without the element at `position` (the last by default).")
      .input("input_sequence", "S")
      .input("position", "I", optional)
      .output("output_sequence", "S")
      .type_strings("S", types::sequences)
      .types("I", {i32, i64})
      .infer([](Infer& c) { c.same(0, 0); })
      .kernel(cpu,
              [](Run& r) {
                const int64_t count = r.item_count(0);
                if (count == 0) fail("the sequence is empty");
                const int64_t skipped = r.has(1) ? position_in(r.input(1), count, count - 1) : count - 1;
                r.append(0, absent_value());
                for (int64_t i = 0; i < count; ++i)
                  if (i != skipped) r.append(0, r.item(0, i));
              })
      .pure();
}

}  // namespace
