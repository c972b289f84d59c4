// OptionalHasElement: whether an optional holds something.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

const Dtypes every = types::all + Dtypes{f6e2m3, f6e3m2};

OG_OP(OptionalHasElement, "", 28) {
  op.doc("Whether the optional holds an element; a tensor or sequence does, an omitted input does not.")
      .input("input", "O", optional)
      .output("output", "B")
      .type_strings("O", types::values(every, every, every, every))
      .types("B", {boolean})
      .infer([](Infer& c) { c.out(0, boolean, Dims{}); })
      .kernel(cpu,
              [](Run& r) {
                const bool optional = r.has(0) && r.input(0).raw().kind == OG_OPTIONAL;
                *r.output(0, Dims{}).data<bool>() = optional ? r.item_count(0) > 0 : r.has(0);
              })
      .pure();
  op.earlier(18, [](Op& o) {
      o.type_strings("O", types::values(types::tensor_before_bfloat, types::tensor_before_bfloat,
                                        types::tensor_before_bfloat, types::tensor_before_bfloat));
    }).earlier(15, [](Op& o) {
    o.input("input", "O")
        .type_strings(
            "O",
            {"optional(seq(tensor(bool)))",   "optional(seq(tensor(complex128)))", "optional(seq(tensor(complex64)))",
             "optional(seq(tensor(double)))", "optional(seq(tensor(float)))",      "optional(seq(tensor(float16)))",
             "optional(seq(tensor(int16)))",  "optional(seq(tensor(int32)))",      "optional(seq(tensor(int64)))",
             "optional(seq(tensor(int8)))",   "optional(seq(tensor(string)))",     "optional(seq(tensor(uint16)))",
             "optional(seq(tensor(uint32)))", "optional(seq(tensor(uint64)))",     "optional(seq(tensor(uint8)))",
             "optional(tensor(bool))",        "optional(tensor(complex128))",      "optional(tensor(complex64))",
             "optional(tensor(double))",      "optional(tensor(float))",           "optional(tensor(float16))",
             "optional(tensor(int16))",       "optional(tensor(int32))",           "optional(tensor(int64))",
             "optional(tensor(int8))",        "optional(tensor(string))",          "optional(tensor(uint16))",
             "optional(tensor(uint32))",      "optional(tensor(uint64))",          "optional(tensor(uint8))"});
  });
}

}  // namespace
