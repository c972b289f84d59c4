// Scatter: the deprecated name of ScatterElements, versions 9 and 11.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(Scatter, "", 11) {
  op.doc("Deprecated: ScatterElements without reduction.")
      .input("data", "T")
      .input("indices", "Tind")
      .input("updates", "T")
      .output("output", "T")
      .attr("axis", 0)
      .types("T", types::tensor_before_bfloat)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) { c.same(0, 0); })
      .body([](Graph& g) {
        g.node("ScatterElements", {"data", "indices", "updates"}, {"output"}).attr_from("axis");
      })
      .pure();
  op.earlier(9);
}

}  // namespace
