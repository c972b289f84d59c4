// SequenceEmpty: a sequence without elements.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(SequenceEmpty, "", 11) {
  op.doc("An empty sequence of tensors of type `dtype` (float32 by default).")
      .output("output", "S")
      .optional_attr("dtype", OG_ATTR_INT)
      .type_strings("S", types::sequences)
      .infer([](Infer& c) {
        const int64_t type = c.get("dtype", int64_t(f32));
        if (!is_dtype(static_cast<int32_t>(type))) fail("dtype = " + std::to_string(type) + " is not an element type");
        out_container(c, 0, OG_SEQUENCE, tensor_type(static_cast<dtype>(type)));
      })
      .kernel(cpu, [](Run& r) { r.append(0, absent_value()); })
      .pure();
}

}  // namespace
