// CastLike: the first input in the element type of the second.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

const Dtypes castable = types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0, u2, i2};

OG_OP(CastLike, "", 25) {
  op.doc("The first input converted to the element type of the second.")
      .input("input", "T1")
      .input("target_type", "T2")
      .output("output", "T2")
      .attr("round_mode", "up")
      .attr("saturate", 1)
      .types("T1", castable)
      .types("T2", castable)
      .infer([](Infer& c) {
        if (c.ranked(0))
          c.out(0, c.dtype(1), c.dims(0));
        else
          c.out(0, c.dtype(1));
        if (const auto values = c.integers(0))
          if (c.dtype(1) == i64 || c.dtype(1) == i32) c.out_integers(0, *values, c.ndim(0) == 0);
      })
      .body([](Graph& g) {
        if (g.dtype(1) == any) return false;
        g.node("Cast", {"input"}, {"output"})
            .attr("to", static_cast<int64_t>(g.dtype(1)))
            .attr_from("saturate")
            .attr_from("round_mode");
        return true;
      })
      .pure();
  op.earlier(24,
             [](Op& o) {
               o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0})
                   .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1, f8e8m0});
             })
      .earlier(23,
               [](Op& o) {
                 o.drop("round_mode")
                     .types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4, f4e2m1});
               })
      .earlier(21,
               [](Op& o) {
                 o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str, u4, i4});
               })
      .earlier(19,
               [](Op& o) {
                 o.types("T1", types::numeric + types::float8 + Dtypes{boolean, str})
                     .types("T2", types::numeric + types::float8 + Dtypes{boolean, str});
               })
      .earlier(15, [](Op& o) {
        o.drop("saturate")
            .types("T1", types::numeric + Dtypes{boolean, str})
            .types("T2", types::numeric + Dtypes{boolean, str});
      });
}

}  // namespace
