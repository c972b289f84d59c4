// Mean: the mean of the inputs, element by element.
#include <opgraft/broadcast.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(Mean, "", 13) {
  op.doc("The mean of the inputs, element by element, with broadcasting.")
      .input("data_0", "T", variadic)
      .output("mean", "T")
      .types("T", types::floats)
      .infer([](Infer& c) { infer_broadcast(c, c.dtype(0)); })
      .body([](Graph& g) {
        if (g.dtype(0) == any) return false;
        std::vector<std::string> inputs;
        for (int i = 0; i < g.info().input_count; ++i) inputs.push_back(std::to_string(i));
        g.node("Sum", inputs, {"sum"});
        g.scalar_like("count", static_cast<double>(inputs.size()), 0);
        g.node("Div", {"sum", "count"}, {"mean"});
        return true;
      })
      .pure();
  op.earlier(8, [](Op& o) { o.types("T", types::ieee); }).earlier(6).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
