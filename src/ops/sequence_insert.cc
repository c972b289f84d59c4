// SequenceInsert: a sequence with one element more.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceInsert, "", 11) {
  op.doc("The sequence with `tensor` put before `position` (behind the end by default).")
      .input("input_sequence", "S")
      .input("tensor", "T")
      .input("position", "I", optional)
      .output("output_sequence", "S")
      .types("T", types::tensor_before_bfloat)
      .type_strings("S", types::sequences)
      .types("I", {i32, i64})
      .infer([](Infer& c) {
        const og_type element = element_type(c, 0), tensor = c.raw_type(1);
        if (element.kind == OG_ABSENT) return out_container(c, 0, OG_SEQUENCE, tensor);
        if (tensor.dtype != any && element.dtype != any && tensor.dtype != element.dtype)
          fail(std::string("a ") + dtype_name(tensor.dtype) + " tensor does not fit in a sequence of " +
               dtype_name(element.dtype));
        Dims dims;
        out_container(c, 0, OG_SEQUENCE, common_type(element, tensor, &dims));
      })
      .kernel(cpu,
              [](Run& r) {
                const int64_t count = r.item_count(0);
                const int64_t at = r.has(2) ? position_in(r.input(2), count, count) : count;
                for (int64_t i = 0; i <= count; ++i) {
                  if (i == at) r.append(0, r.input(1).raw());
                  if (i < count) r.append(0, r.item(0, i));
                }
              })
      .pure();
}

}  // namespace
