// StringConcat: two strings one behind the other, with broadcasting.
#include <opgraft/broadcast.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

OG_OP(StringConcat, "", 20) {
  op.doc("Each string of X with the one of Y behind it.")
      .input("X", "T")
      .input("Y", "T")
      .output("Z", "T")
      .types("T", {str})
      .infer([](Infer& c) { infer_broadcast(c, str); })
      .kernel(cpu,
              [](Run& r) {
                const Dims dims = broadcast_dims(r.input(0).shape(), r.input(1).shape());
                const Tensor z = r.output(0, dims);
                if (z.numel() == 0) return;
                const auto loop = make_broadcast<2>({r.input(0).shape(), r.input(1).shape()}, dims);
                const int64_t sx = loop.steps[0].back(), sy = loop.steps[1].back();
                for_each_row(r, loop, [&](const std::array<int64_t, 2>& offsets, int64_t out, int64_t n) {
                  for (int64_t i = 0; i < n; ++i)
                    r.set_string(
                        0, out + i,
                        std::string(r.string(0, offsets[0] + i * sx)) + std::string(r.string(1, offsets[1] + i * sy)));
                });
              })
      .pure();
}

}  // namespace
