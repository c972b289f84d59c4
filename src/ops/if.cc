// If: runs one of two graphs.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

// Types that a branch gives; unset where they are not known. A branch that may not be taken need not fit these shapes:
// exporters write one for each rank.
std::vector<og_type> branch(Infer& c, const char* name, int count, bool taken) {
  std::vector<og_type> types(static_cast<size_t>(count));
  for (auto& type : types) type.size = sizeof(type);
  const int32_t status = detail::host->infer_subgraph(c.handle(), name, nullptr, 0, types.data(), count);
  if (taken) detail::check(status);
  if (status != 0)
    for (auto& type : types) type = og_type{}, type.size = sizeof(type), type.ndim = -1;
  return types;
}

// What holds whichever branch is taken.
void join(Infer& c, int index, const og_type& a, const og_type& b) {
  if (a.kind != b.kind || a.dtype != b.dtype) {
    if (a.kind != OG_ABSENT && b.kind != OG_ABSENT)
      fail("the branches give output " + std::to_string(index) + " different types: " + dtype_name(a.dtype) + " and " +
           dtype_name(b.dtype));
    return c.out(index, a.kind != OG_ABSENT ? a : b);
  }
  og_type result = a;
  Dims dims;
  if (a.ndim < 0 || a.ndim != b.ndim) {
    result.ndim = -1;
  } else {
    for (int i = 0; i < a.ndim; ++i) dims.push_back(a.dims[i] == b.dims[i] ? a.dims[i] : kUnknown);
    result.dims = dims.data();
  }
  c.out(index, result);
}

OG_OP(If, "", 25) {
  op.doc("The outputs of then_branch when cond is true, else those of else_branch.")
      .input("cond", "B")
      .output("outputs", "V", variadic | heterogeneous, 1)
      .required_attr("then_branch", OG_ATTR_GRAPH)
      .required_attr("else_branch", OG_ATTR_GRAPH)
      .types("B", {boolean})
      .type_strings("V", types::values())
      .infer([](Infer& c) {
        const int count = c.output_count();
        if (const auto cond = c.value(0)) {
          const bool first = *static_cast<const bool*>(cond->tensor.data);
          const auto types = branch(c, first ? "then_branch" : "else_branch", count, true);
          for (int i = 0; i < count; ++i) c.out(i, types[static_cast<size_t>(i)]);
          return;
        }
        const auto a = branch(c, "then_branch", count, false), b = branch(c, "else_branch", count, false);
        for (int i = 0; i < count; ++i) join(c, i, a[static_cast<size_t>(i)], b[static_cast<size_t>(i)]);
      })
      .kernel(cpu, [](Run& r) {
        if (r.input(0).numel() != 1) fail("cond must have one element, it has " + std::to_string(r.input(0).numel()));
        const auto outputs = r.subgraph(*r.in<bool>(0) ? "then_branch" : "else_branch", {}, r.output_count());
        for (int i = 0; i < r.output_count(); ++i)
          if (r.uses_output(i)) r.forward(i, outputs[static_cast<size_t>(i)]);
      });
  op.earlier(24,
             [](Op& o) {
               o.type_strings("V", types::values(types::tensor_24, types::tensor_24, types::tensor_24, types::tensor));
             })
      .earlier(23,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_23, types::tensor_23, types::tensor_23, types::tensor));
               })
      .earlier(21,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_21, types::tensor_21, types::tensor_21, types::tensor));
               })
      .earlier(19,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_19, types::tensor_19, types::tensor_19, types::tensor));
               })
      .earlier(
          16,
          [](Op& o) { o.type_strings("V", types::values(types::tensor, types::tensor, types::tensor, types::tensor)); })
      .earlier(13,
               [](Op& o) {
                 o.type_strings("V", {"seq(tensor(bool))",   "seq(tensor(complex128))", "seq(tensor(complex64))",
                                      "seq(tensor(double))", "seq(tensor(float))",      "seq(tensor(float16))",
                                      "seq(tensor(int16))",  "seq(tensor(int32))",      "seq(tensor(int64))",
                                      "seq(tensor(int8))",   "seq(tensor(string))",     "seq(tensor(uint16))",
                                      "seq(tensor(uint32))", "seq(tensor(uint64))",     "seq(tensor(uint8))",
                                      "tensor(bool)",        "tensor(complex128)",      "tensor(complex64)",
                                      "tensor(double)",      "tensor(float)",           "tensor(float16)",
                                      "tensor(int16)",       "tensor(int32)",           "tensor(int64)",
                                      "tensor(int8)",        "tensor(string)",          "tensor(uint16)",
                                      "tensor(uint32)",      "tensor(uint64)",          "tensor(uint8)"});
               })
      .earlier(11, [](Op& o) { o.types("V", types::tensor_before_bfloat); })
      .earlier(1);
}

}  // namespace
