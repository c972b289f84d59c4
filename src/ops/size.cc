// Size: the number of elements of the input.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(Size, "", 25) {
  op.doc("The number of elements of the input.")
      .input("data", "T")
      .output("size", "T1")
      .types("T", types::all)
      .types("T1", {i64})
      .infer([](Infer& c) {
        c.out(0, i64, Dims{});
        if (!c.ranked(0)) return;
        int64_t count = 1;
        for (int64_t dim : c.dims(0)) count = c.mul(count, dim);
        c.out_integers(0, {count}, true);
      })
      .kernel(cpu, [](Run& r) { *r.output(0, Dims{}).data<int64_t>() = r.input(0).numel(); })
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("T", types::tensor_19); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(1, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
