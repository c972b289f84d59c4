// DepthToSpace: blocks of channels become blocks of pixels.
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

[[noreturn]] void fail_channels(int64_t channels, int64_t size) {
  fail(std::to_string(channels) + " channels are no multiple of blocksize squared (" + std::to_string(size) + ")");
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

OG_OP(DepthToSpace, "", 28) {
  op.doc("Each pixel's channels spread over a block of blocksize by blocksize pixels.")
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
        c.out(0, c.dtype(0), {x[0], c.floor_div(x[1], area), c.mul(x[2], b), c.mul(x[3], b)});
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3), b = block(r);
                if (c % (b * b) != 0) fail_channels(c, b);
                const int64_t d = c / (b * b), plane = h * w;
                // Output [n, d, h, b, w, b] in steps of the input.
                const int64_t low = depth_first(r) ? plane * d : plane, high = low * b,
                              channel = depth_first(r) ? plane : plane * b * b;
                r.output(0, {n, d, h * b, w * b});
                move_into(r, {n, d, h, b, w, b}, {c * plane, channel, w, high, 1, low});
              })
      .pure();
  op.earlier(13).earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); }).earlier(1, [](Op& o) {
    o.drop("mode");
  });
}

}  // namespace
