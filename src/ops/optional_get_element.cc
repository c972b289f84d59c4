// OptionalGetElement: what an optional holds.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

const Dtypes every = types::all + Dtypes{f6e2m3, f6e3m2};

OG_OP(OptionalGetElement, "", 28) {
  op.doc("The element of an optional, which must have one; a tensor or sequence is returned as it is.")
      .input("input", "O")
      .output("output", "V")
      .type_strings("O", types::values(every, every, every, every))
      .type_strings("V",
                    [] {
                      auto all = types::listed("tensor(", every, ")");
                      for (auto& name : types::listed("seq(tensor(", every, "))")) all.push_back(name);
                      return all;
                    }())
      .infer([](Infer& c) {
        const og_type type = c.raw_type(0);
        if (type.kind != OG_OPTIONAL) return c.out(0, type);
        const og_type element = element_type(c, 0);
        if (element.kind != OG_ABSENT) c.out(0, element);
      })
      .kernel(cpu,
              [](Run& r) {
                if (r.input(0).raw().kind != OG_OPTIONAL) return r.forward(0, r.input(0).raw());
                if (r.item_count(0) == 0) fail("the optional is empty");
                r.forward(0, r.item(0, 0));
              })
      .pure();
  op.earlier(18, [](Op& o) {
      o.type_strings("O", types::values(types::tensor_before_bfloat, types::tensor_before_bfloat,
                                        types::tensor_before_bfloat, types::tensor_before_bfloat))
          .type_strings("V", {"seq(tensor(bool))",   "seq(tensor(complex128))", "seq(tensor(complex64))",
                              "seq(tensor(double))", "seq(tensor(float))",      "seq(tensor(float16))",
                              "seq(tensor(int16))",  "seq(tensor(int32))",      "seq(tensor(int64))",
                              "seq(tensor(int8))",   "seq(tensor(string))",     "seq(tensor(uint16))",
                              "seq(tensor(uint32))", "seq(tensor(uint64))",     "seq(tensor(uint8))",
                              "tensor(bool)",        "tensor(complex128)",      "tensor(complex64)",
                              "tensor(double)",      "tensor(float)",           "tensor(float16)",
                              "tensor(int16)",       "tensor(int32)",           "tensor(int64)",
                              "tensor(int8)",        "tensor(string)",          "tensor(uint16)",
                              "tensor(uint32)",      "tensor(uint64)",          "tensor(uint8)"});
    }).earlier(15, [](Op& o) {
    o.type_strings(
        "O", {"optional(seq(tensor(bool)))",   "optional(seq(tensor(complex128)))", "optional(seq(tensor(complex64)))",
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
