// SpaceToDepth: blocks of pixels become blocks of channels.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

int64_t block(const Node& node) {
  const int64_t size = node.get("blocksize", int64_t(0));
  if (size < 1 || size > 65536) fail("blocksize is " + std::to_string(size) + ", expected 1 to 65536");
  return size;
}

bool depth_first(const Node& node) {
  const std::string mode = node.get("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") fail("mode is \"" + mode + "\", expected DCR or CRD");
  return mode == "DCR";
}

// Output 0, whose elements stand in the order of `dims`, from input 0 by steps.
void move_into(Run& r, const Dims& dims, const std::vector<int64_t>& steps) {
  if (r.input(0).numel() == 0) return;
  if (r.dtype(0) == str) return gather_strings(r, dims, steps, 0);
  by_size(element_bytes(r.input(0)), [&](auto zero) {
    using T = decltype(zero);
    gather_strided(r, r.in<T>(0), r.output(0).data<T>(), dims, steps);
  });
}

OG_OP(SpaceToDepth, "", 28) {
  op.doc("Blocks of blocksize by blocksize pixels gathered into channels.")
      .input("input", "T")
      .output("output", "T")
      .required_attr("blocksize", OG_ATTR_INT)
      .attr("mode", "DCR")
      .types("T", types::tensor)
      .infer([](Infer& c) {
        depth_first(c);
        block(c);
        if (!c.ranked(0)) return c.out(0, c.dtype(0), Dims(4, kUnknown));
        if (c.ndim(0) != 4) fail("input must have 4 axes, it has " + std::to_string(c.ndim(0)));
        const Dims x = c.dims(0);
        const int64_t b = block(c), area = b * b;
        c.out(0, c.dtype(0), {x[0], c.mul(x[1], area), c.floor_div(x[2], b), c.floor_div(x[3], b)});
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3), b = block(r);
                if (h % b != 0 || w % b != 0)
                  fail("height and width must be multiples of blocksize " + std::to_string(b) + ", they are " +
                       std::to_string(h) + " and " + std::to_string(w));
                const int64_t row = w, plane = h * w, oh = h / b, ow = w / b;
                r.output(0, {n, c * b * b, oh, ow});
                // Output [n, b, b, c, h / b, w / b] (or channels first) in steps of the input.
                if (depth_first(r))
                  move_into(r, {n, b, b, c, oh, ow}, {c * plane, row, 1, plane, row * b, b});
                else
                  move_into(r, {n, c, b, b, oh, ow}, {c * plane, plane, row, 1, row * b, b});
              })
      .pure();
  op.earlier(13, [](Op& o) { o.drop("mode"); }).earlier(1, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
