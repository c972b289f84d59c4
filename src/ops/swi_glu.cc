// SwiGLU: y = a * sigmoid(alpha * a) * b.
#include <opgraft/pointwise.h>
#include <opgraft/simd.h>
using namespace opgraft;
namespace {

OG_OP(SwiGLU, "", 28) {
  op.doc("a times the logistic function of alpha * a, times b.")
      .input("A", "T")
      .input("B", "T")
      .output("Y", "T")
      .attr("alpha", 1.0f)
      .types("T", types::floats)
      .infer([](Infer& c) { infer_broadcast(c, c.dtype(0)); })
      .body([](Graph& g) {
        g.node("Swish", {"A"}, {"gate"}).attr_from("alpha");
        g.node("Mul", {"gate", "B"}, {"Y"});
      })
      .pure();
}

}  // namespace
