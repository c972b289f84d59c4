// QGemm (com.microsoft): Gemm of quantised matrices with exact integer sums.
#include <opgraft/quantized_body.h>
using namespace opgraft;
namespace {

OG_OP(QGemm, "com.microsoft", 1) {
  op.doc("alpha * A * B + C of quantised matrices, in integers; quantised with y_scale, without it real numbers.")
      .input("A", "TA")
      .input("a_scale", "T")
      .input("a_zero_point", "TA")
      .input("B", "TB")
      .input("b_scale", "T")
      .input("b_zero_point", "TB")
      .input("C", "TC", optional)
      .input("y_scale", "T", optional)
      .input("y_zero_point", "TYZ", optional)
      .output("Y", "TY")
      .attr("alpha", 1.0f)
      .attr("transA", 0)
      .attr("transB", 0)
      .types("T", {f32})
      .types("TA", {u8, i8})
      .types("TB", {u8, i8})
      .types("TC", {i32})
      .types("TYZ", {u8, i8})
      .types("TY", {f32, u8, i8})
      .infer([](Infer& c) {
        const bool quantised = c.has(7);
        const dtype type = !quantised ? f32
                           : c.has(8) ? static_cast<dtype>(c.dtype(8))
                                      : static_cast<dtype>(c.dtype(0));
        if (!c.ranked(0) || !c.ranked(3)) return c.out(0, type);
        if (c.ndim(0) != 2 || c.ndim(3) != 2) fail("A and B must be matrices");
        c.out(0, type, {c.dim(0, c.get("transA", 0) != 0 ? 1 : 0), c.dim(3, c.get("transB", 0) != 0 ? 0 : 1)});
      })
      .body([](Graph& g) {
        const bool turn_a = g.get("transA", int64_t(0)) != 0, turn_b = g.get("transB", int64_t(0)) != 0;
        if (turn_a) g.node("Transpose", {"A"}, {"a"});
        if (turn_b) g.node("Transpose", {"B"}, {"b"});
        g.node("MatMulInteger", {turn_a ? "a" : "A", turn_b ? "b" : "B", "a_zero_point", "b_zero_point"}, {"product"});
        if (g.has(6)) g.node("Add", {"product", "C"}, {"sum"});
        g.node("Cast", {g.has(6) ? "sum" : "product"}, {"number"}).attr("to", int64_t(f32));
        g.scalar("factor", g.get("alpha", 1.0f));
        g.node("Mul", {"a_scale", "b_scale"}, {"scales"});
        g.node("Mul", {"scales", "factor"}, {"scale"});
        g.node("Mul", {"number", "scale"}, {g.has(7) ? "y" : "Y"});
        if (g.has(7)) g.node("QuantizeLinear", {"y", "y_scale", g.has(8) ? "y_zero_point" : ""}, {"Y"});
      })
      .pure();
}

}  // namespace
