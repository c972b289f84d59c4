// MeanVarianceNormalization: (x - mean) / (standard deviation + 1e-9) over some axes.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(MeanVarianceNormalization, "", 13) {
  op.doc("x less its mean, over its standard deviation, both over `axes`.")
      .input("X", "T")
      .output("Y", "T")
      .attr("axes", std::vector<int64_t>{0, 2, 3})
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.ranked(0)) normalize_axes(c.ints("axes"), c.ndim(0));
        c.same(0, 0);
      })
      .body([](Graph& g) {
        if (g.dtype(0) == any) return false;
        // 1e-9 is nothing in a half float, and a rounded mean shows where the deviation is small.
        const bool half = g.dtype(0) == f16 || g.dtype(0) == bf16;
        const char* x = half ? "wide" : "X";
        g.ints("over", g.Node::ints("axes"));
        if (half) {
          g.node("Cast", {"X"}, {"wide"}).attr("to", int64_t(f32));
          g.scalar("little", 1e-9f);
        } else {
          g.scalar_like("little", 1e-9, 0);
        }
        g.node("ReduceMean", {x, "over"}, {"mean"});
        g.node("Sub", {x, "mean"}, {"centred"});
        g.node("Mul", {"centred", "centred"}, {"squares"});
        g.node("ReduceMean", {"squares", "over"}, {"variance"});
        g.node("Sqrt", {"variance"}, {"deviation"});
        g.node("Add", {"deviation", "little"}, {"divisor"});
        g.node("Div", {"centred", "divisor"}, {half ? "result" : "Y"});
        if (half) g.node("CastLike", {"result", "X"}, {"Y"});
        return true;
      })
      .pure();
  op.earlier(9, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
