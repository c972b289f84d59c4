// SequenceMap: a graph applied to each element of sequences; tensors are given to every call.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

void infer(Infer& c) {
  std::vector<og_type> in, out(static_cast<size_t>(c.output_count()));
  for (int i = 0; i < c.input_count(); ++i) {
    const og_type type = c.raw_type(i);
    in.push_back(type.kind == OG_SEQUENCE ? element_type(c, i) : type);
  }
  for (auto& type : out) type.size = sizeof(type);
  detail::check(
      detail::host->infer_subgraph(c.handle(), "body", in.data(), c.input_count(), out.data(), c.output_count()));
  for (int i = 0; i < c.output_count(); ++i) out_container(c, i, OG_SEQUENCE, out[static_cast<size_t>(i)]);
}

OG_OP(SequenceMap, "", 17) {
  op.doc(
        "The results of `body` for each element of input_sequence, with the same element of other sequences and whole "
        "tensors.")
      .input("input_sequence", "S")
      .input("additional_inputs", "V", variadic | heterogeneous, 0)
      .output("out_sequence", "S", variadic | heterogeneous, 1)
      .required_attr("body", OG_ATTR_GRAPH)
      .type_strings("S", types::sequences)
      .type_strings("V",
                    [] {
                      auto all = types::listed("tensor(", types::tensor_before_bfloat, ")");
                      all.insert(all.end(), types::sequences.begin(), types::sequences.end());
                      return all;
                    }())
      .infer(&infer)
      .kernel(cpu, [](Run& r) {
        const int64_t count = r.item_count(0);
        for (int i = 1; i < r.input_count(); ++i)
          if (r.input(i).raw().kind == OG_SEQUENCE && r.item_count(i) != count)
            fail("input " + std::to_string(i) + " has " + std::to_string(r.item_count(i)) +
                 " elements, input_sequence has " + std::to_string(count));
        for (int i = 0; i < r.output_count(); ++i)
          if (r.uses_output(i)) r.append(i, absent_value());
        for (int64_t k = 0; k < count; ++k) {
          if (r.cancelled()) fail("the run was cancelled");
          std::vector<og_value> inputs;
          for (int i = 0; i < r.input_count(); ++i)
            inputs.push_back(r.input(i).raw().kind == OG_SEQUENCE ? r.item(i, k) : r.input(i).raw());
          auto outputs = r.subgraph("body", inputs, r.output_count());
          for (int i = 0; i < r.output_count(); ++i) {
            if (r.uses_output(i)) r.append(i, outputs[static_cast<size_t>(i)]);
            r.release(outputs[static_cast<size_t>(i)]);
          }
        }
      });
}

}  // namespace
