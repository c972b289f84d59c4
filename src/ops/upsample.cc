// Upsample: the older form of Resize (opsets 7 to 9), which it is raised to.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(Upsample, "", 9) {
  op.doc("Resizes by scales with nearest or linear interpolation; newer models use Resize.")
      .input("X", "T")
      .input("scales", "tensor(float)")
      .output("Y", "T")
      .attr("mode", "nearest")
      .types("T", types::tensor_before_bfloat)
      .body([](Graph& g) {
        g.opset(10);
        g.node("Resize", {"X", "scales"}, {"Y"}).attr_from("mode");
      })
      .infer([](Infer& c) {
        if (c.ranked(0))
          c.out(0, c.dtype(0), Dims(static_cast<size_t>(c.ndim(0)), kUnknown));
        else
          c.out(0, c.dtype(0));
      })
      .pure();
  op.version(
      7,
      [](Op& old) {
        old.input("X", "T")
            .output("Y", "T")
            .attr("mode", "nearest")
            .required_attr("scales", OG_ATTR_FLOATS)
            .types("T", types::tensor_before_bfloat);
      },
      [](Graph& g) {
        g.constant("factors", g.floats("scales"));
        g.opset(9);
        g.node("Upsample", {"0", "factors"}, {"0"}).attr_from("mode");
      });
  op.earlier(
      1,
      [](Op& o) {
        o.drop("scales")
            .required_attr("height_scale", OG_ATTR_FLOAT)
            .required_attr("width_scale", OG_ATTR_FLOAT)
            .types("T", types::ieee + Dtypes{i32, i64, boolean});
      },
      [](Graph& g) {
        g.constant("factors", std::vector<float>{1, 1, g.get("height_scale", 1.0f), g.get("width_scale", 1.0f)});
        g.opset(9);
        g.node("Upsample", {"X", "factors"}, {"Y"}).attr_from("mode");
      });
}

}  // namespace
