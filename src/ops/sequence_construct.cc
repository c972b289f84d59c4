// SequenceConstruct: a sequence of the inputs.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceConstruct, "", 11) {
  op.doc("A sequence of the inputs, in order.")
      .input("inputs", "T", variadic)
      .output("output_sequence", "S")
      .types("T", types::tensor_before_bfloat)
      .type_strings("S", types::sequences)
      .infer([](Infer& c) {
        og_type element = c.raw_type(0);
        std::vector<Dims> kept(static_cast<size_t>(c.input_count()));
        for (int i = 1; i < c.input_count(); ++i)
          element = common_type(element, c.raw_type(i), &kept[static_cast<size_t>(i)]);
        out_container(c, 0, OG_SEQUENCE, element);
      })
      .kernel(cpu,
              [](Run& r) {
                for (int i = 0; i < r.input_count(); ++i) r.append(0, r.input(i).raw());
              })
      .pure();
}

}  // namespace
