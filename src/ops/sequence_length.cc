// SequenceLength: how many elements a sequence has.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceLength, "", 11) {
  op.doc("The number of elements of a sequence.")
      .input("input_sequence", "S")
      .output("length", "I")
      .type_strings("S", types::sequences)
      .types("I", {i64})
      .infer([](Infer& c) { c.out(0, i64, Dims{}); })
      .kernel(cpu, [](Run& r) { *r.output(0, Dims{}).data<int64_t>() = r.item_count(0); })
      .pure();
}

}  // namespace
