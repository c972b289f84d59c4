// Col2Im: columns of blocks added up to an image; the reverse of cutting an image into blocks.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

struct Geometry {
  std::vector<int64_t> image, block, stride, dilation, pad_begin, count;  // count: block positions by axis
  int64_t blocks = 1, area = 1, size = 1;                                 // positions, elements of a block, of an image
};

Geometry geometry(const Node& node, const std::vector<int64_t>& image, const std::vector<int64_t>& block) {
  Geometry g{image, block, node.ints("strides"), node.ints("dilations"), {}, {}};
  const size_t n = image.size();
  auto pads = node.ints("pads");
  if (g.stride.empty()) g.stride.assign(n, 1);
  if (g.dilation.empty()) g.dilation.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  if (block.size() != n || g.stride.size() != n || g.dilation.size() != n || pads.size() != 2 * n)
    fail("image_shape, block_shape, strides, dilations and pads must speak of the same number of axes");
  constexpr int64_t kMost = int64_t(1) << 31;
  for (size_t i = 0; i < n; ++i) {
    if (image[i] < 0 || block[i] < 1 || g.stride[i] < 1 || g.dilation[i] < 1 || pads[i] < 0 || pads[n + i] < 0 ||
        image[i] >= kMost || block[i] >= kMost || g.stride[i] >= kMost || g.dilation[i] >= kMost || pads[i] >= kMost ||
        pads[n + i] >= kMost)
      fail("a size, stride, dilation or pad of axis " + std::to_string(i) + " is out of range");
    const int64_t reach = image[i] + pads[i] + pads[n + i] - g.dilation[i] * (block[i] - 1) - 1;
    g.pad_begin.push_back(pads[i]);
    g.count.push_back(reach < 0 ? 0 : reach / g.stride[i] + 1);
    if (__builtin_mul_overflow(g.blocks, g.count[i], &g.blocks) || __builtin_mul_overflow(g.area, block[i], &g.area) ||
        __builtin_mul_overflow(g.size, image[i], &g.size))
      fail("the image or its blocks have too many elements");
  }
  return g;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const Geometry g = geometry(r, r.input(1).integers(), r.input(2).integers());
  const int64_t batch = x.dim(0), channels = g.area ? x.dim(1) / g.area : 0, n = static_cast<int64_t>(g.image.size());
  if (x.dim(1) != channels * g.area || x.dim(2) != g.blocks)
    fail("input " + to_string(x.shape()) + " must be [N, C * " + std::to_string(g.area) + ", " +
         std::to_string(g.blocks) + "]");
  Dims dims{batch, channels};
  dims.insert(dims.end(), g.image.begin(), g.image.end());
  const Tensor y = r.output(0, dims);
  if (y.bytes()) std::memset(y.data(), 0, y.bytes());
  if (x.numel() == 0) return;
  const T* from = x.data<T>();
  T* to = y.data<T>();
  r.parallel_for(batch * channels, 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> tap(static_cast<size_t>(n)), at(static_cast<size_t>(n));
    for (int64_t plane = begin; plane < end; ++plane)
      for (int64_t k = 0; k < g.area; ++k) {
        for (int64_t rest = k, i = n; i-- > 0; rest /= g.block[static_cast<size_t>(i)])
          tap[static_cast<size_t>(i)] = rest % g.block[static_cast<size_t>(i)];
        const T* row = from + (plane * g.area + k) * g.blocks;
        for (int64_t position = 0; position < g.blocks; ++position) {
          bool inside = true;
          int64_t offset = 0;
          for (int64_t rest = position, i = n; i-- > 0; rest /= g.count[static_cast<size_t>(i)])
            at[static_cast<size_t>(i)] = rest % g.count[static_cast<size_t>(i)];
          for (size_t i = 0; i < at.size(); ++i) {
            const int64_t place = at[i] * g.stride[i] - g.pad_begin[i] + tap[i] * g.dilation[i];
            inside = inside && place >= 0 && place < g.image[i];
            offset = offset * g.image[i] + place;
          }
          if (inside) to[plane * g.size + offset] += row[position];
        }
      }
  });
}

OG_OP(Col2Im, "", 18) {
  op.doc("Blocks that stand in columns, added up where they overlap in an image.")
      .input("input", "T")
      .input("image_shape", "tensor(int64)")
      .input("block_shape", "tensor(int64)")
      .output("output", "T")
      .optional_attr("dilations", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) != 3) fail("input must have 3 axes, it has " + std::to_string(c.ndim(0)));
        const auto image = c.integers(1), block = c.known_integers(2);
        if (!image) return c.out(0, c.dtype(0));
        Dims dims{c.ranked(0) ? c.dims(0)[0] : kUnknown, kUnknown};
        if (block && c.ranked(0)) {
          int64_t area = 1;
          for (const int64_t size : *block)
            if (size < 1 || __builtin_mul_overflow(area, size, &area)) fail("block_shape has an entry out of range");
          dims[1] = c.floor_div(c.dims(0)[1], area);
        }
        dims.insert(dims.end(), image->begin(), image->end());
        c.out(0, c.dtype(0), dims);
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .kernel(cpu, i8, &run<int8_t>)
      .kernel(cpu, i16, &run<int16_t>)
      .kernel(cpu, i32, &run<int32_t>)
      .kernel(cpu, i64, &run<int64_t>)
      .kernel(cpu, u8, &run<uint8_t>)
      .kernel(cpu, u16, &run<uint16_t>)
      .kernel(cpu, u32, &run<uint32_t>)
      .kernel(cpu, u64, &run<uint64_t>);
}

}  // namespace
