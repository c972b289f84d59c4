// Optional: an optional that holds the input, or an empty one of a given type.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

const Dtypes every = types::all + Dtypes{f6e2m3, f6e3m2};

std::vector<std::string> both(const char* before_tensor, const char* after_tensor, const char* before_sequence,
                              const char* after_sequence) {
  auto result = types::listed(before_tensor, every, after_tensor);
  for (auto& name : types::listed(before_sequence, every, after_sequence)) result.push_back(name);
  return result;
}

OG_OP(Optional, "", 28) {
  op.doc("An optional that holds the input, or an empty optional of type `type`.")
      .input("input", "V", optional)
      .output("output", "O")
      .optional_attr("type", OG_ATTR_TYPE)
      .type_strings("V", both("tensor(", ")", "seq(tensor(", "))"))
      .type_strings("O", both("optional(tensor(", "))", "optional(seq(tensor(", ")))"))
      .infer([](Infer& c) {
        if (c.has(0)) return out_container(c, 0, OG_OPTIONAL, c.raw_type(0));
        const auto type = c.find("type");
        if (!type) fail("without an input the attribute \"type\" is needed");
        out_container(c, 0, OG_OPTIONAL, type->types[0]);
      })
      .kernel(cpu, [](Run& r) { r.append(0, r.has(0) ? r.input(0).raw() : absent_value()); })
      .pure();
  op.earlier(15, [](Op& o) {
    o.type_strings("V", {"seq(tensor(bool))",   "seq(tensor(complex128))", "seq(tensor(complex64))",
                         "seq(tensor(double))", "seq(tensor(float))",      "seq(tensor(float16))",
                         "seq(tensor(int16))",  "seq(tensor(int32))",      "seq(tensor(int64))",
                         "seq(tensor(int8))",   "seq(tensor(string))",     "seq(tensor(uint16))",
                         "seq(tensor(uint32))", "seq(tensor(uint64))",     "seq(tensor(uint8))",
                         "tensor(bool)",        "tensor(complex128)",      "tensor(complex64)",
                         "tensor(double)",      "tensor(float)",           "tensor(float16)",
                         "tensor(int16)",       "tensor(int32)",           "tensor(int64)",
                         "tensor(int8)",        "tensor(string)",          "tensor(uint16)",
                         "tensor(uint32)",      "tensor(uint64)",          "tensor(uint8)"})
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
