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
  op.earlier(24,
             [](Op& o) {
               o.type_strings("V", types::values(types::tensor_24, types::tensor_before_bfloat,
                                                 types::tensor_before_bfloat, types::tensor_before_bfloat));
             })
      .earlier(23,
               [](Op& o) {
                 o.type_strings("V", types::values(types::tensor_23, types::tensor_before_bfloat,
                                                   types::tensor_before_bfloat, types::tensor_before_bfloat));
               })
      .earlier(21,
               [](Op& o) {
                 o.type_strings("V", types::values(types::tensor_21, types::tensor_before_bfloat,
                                                   types::tensor_before_bfloat, types::tensor_before_bfloat));
               })
      .earlier(19,
               [](Op& o) {
                 o.type_strings("V", types::values(types::tensor_19, types::tensor_before_bfloat,
                                                   types::tensor_before_bfloat, types::tensor_before_bfloat));
               })
      .earlier(16,
               [](Op& o) {
                 o.type_strings("V", types::values(types::tensor, types::tensor_before_bfloat,
                                                   types::tensor_before_bfloat, types::tensor_before_bfloat));
               })
      .earlier(14,
               [](Op& o) {
                 o.type_strings("V", {"seq(tensor(bool))",      "seq(tensor(complex128))",
                                      "seq(tensor(complex64))", "seq(tensor(double))",
                                      "seq(tensor(float))",     "seq(tensor(float16))",
                                      "seq(tensor(int16))",     "seq(tensor(int32))",
                                      "seq(tensor(int64))",     "seq(tensor(int8))",
                                      "seq(tensor(string))",    "seq(tensor(uint16))",
                                      "seq(tensor(uint32))",    "seq(tensor(uint64))",
                                      "seq(tensor(uint8))",     "tensor(bfloat16)",
                                      "tensor(bool)",           "tensor(complex128)",
                                      "tensor(complex64)",      "tensor(double)",
                                      "tensor(float)",          "tensor(float16)",
                                      "tensor(int16)",          "tensor(int32)",
                                      "tensor(int64)",          "tensor(int8)",
                                      "tensor(string)",         "tensor(uint16)",
                                      "tensor(uint32)",         "tensor(uint64)",
                                      "tensor(uint8)"});
               })
      .earlier(13, [](Op& o) { o.drop("V").input("input", "T").output("output", "T").types("T", types::tensor); })
      .earlier(1, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
