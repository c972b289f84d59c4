// ConvTranspose: transposed convolution over one to three spatial axes.
#include <opgraft/conv.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

// Sizes of the output along the spatial axes; numbers and symbols. Fails for attributes that do not fit.
Dims output_sizes(const Infer& c, const Windows& windows, const Dims& x) {
  const int spatial = windows.spatial();
  const std::vector<int64_t> padding = read_axis_list(c, "output_padding", spatial, 0, 0);
  std::vector<int64_t> given = c.ints("output_shape");
  if (!given.empty()) {
    if (static_cast<int>(given.size()) == spatial + 2) given.erase(given.begin(), given.begin() + 2);
    if (static_cast<int>(given.size()) != spatial)
      fail("output_shape = " + to_string(given) + " must have one entry per spatial axis, " + std::to_string(spatial));
    return given;
  }
  Dims sizes;
  for (int axis = 0; axis < spatial; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t in = x[i + 2], stride = windows.stride[i];
    if (windows.auto_pad == AutoPad::same_upper || windows.auto_pad == AutoPad::same_lower) {
      sizes.push_back(c.mul(in, stride));
      continue;
    }
    const int64_t extent = c.add(c.mul(c.sub(windows.kernel[i], 1), windows.dilation[i]), 1);
    const int64_t whole = c.add(c.add(c.mul(c.sub(in, 1), stride), extent), padding[i]);
    const int64_t size = c.sub(whole, windows.pad_begin[i] + windows.pad_end[i]);
    if (is_known(size) && size < 0)
      fail("pads take " + std::to_string(windows.pad_begin[i] + windows.pad_end[i]) + " of only " +
           std::to_string(whole) + " elements along spatial axis " + std::to_string(axis));
    sizes.push_back(size);
  }
  return sizes;
}

void infer(Infer& c) {
  if (!c.ranked(0) || !c.ranked(1)) return c.out(0, c.dtype(0));
  const Dims x = c.dims(0), w = c.dims(1);
  check_ranks(x, w);
  const int64_t group = c.get("group", int64_t{1});
  if (group < 1) fail("group = " + std::to_string(group) + " must be at least 1");
  check_channels(w[0], x[1], "dim 0 of W must be the channels of X");
  if (is_known(w[0]) && w[0] % group != 0)
    fail("dim 0 of W, " + std::to_string(w[0]) + ", is not a multiple of group = " + std::to_string(group));
  const int64_t outputs = c.mul(w[1], group);
  if (c.has(2) && c.ranked(2)) {
    if (c.ndim(2) != 1) fail("B must have rank 1, it has dims " + to_string(c.dims(2)));
    check_channels(c.dim(2, 0), outputs, "length of B must be dim 1 of W times group");
  }
  Dims y{x[0], outputs};
  for (int64_t size : output_sizes(c, read_windows(c, kernel_sizes(c, w)), x)) y.push_back(size);
  c.out(0, c.dtype(0), y);
}

// Geometry for concrete dims. Where the output's size is given, the pads follow from it.
WindowGeometry geometry(const Node& node, const Dims& x, const Dims& w, const Dims& y) {
  const Windows windows = read_windows(node, kernel_sizes(node, w));
  WindowGeometry g = window_geometry(windows);
  const int offset = kMaxSpatial - windows.spatial();
  const std::vector<int64_t> padding = read_axis_list(node, "output_padding", windows.spatial(), 0, 0);
  const bool same = windows.auto_pad == AutoPad::same_upper || windows.auto_pad == AutoPad::same_lower;
  const bool solve = same || !node.ints("output_shape").empty();
  for (int i = 0; i < windows.spatial(); ++i) {
    const int axis = offset + i;
    const auto at = static_cast<size_t>(i);
    g.in[axis] = x[at + 2];
    g.out[axis] = y[at + 2];
    if (!solve) continue;
    const int64_t total =
        std::max<int64_t>(0, (g.in[axis] - 1) * g.stride[axis] + padding[at] + windows.extent(i) - g.out[axis]);
    g.pad_begin[axis] = windows.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
    g.pad_end[axis] = total - g.pad_begin[axis];
  }
  return g;
}

og_conv description(const WindowGeometry& g, const Dims& w, int64_t group) {
  og_conv conv = og_conv_init(kMaxSpatial);
  g.fill(conv);
  conv.groups = group;
  conv.in_channels = w[0];
  conv.out_channels = w[1] * group;
  return conv;
}

struct ConvTransposeF32 {
  const og_cpu_conv* table = nullptr;
  const void* packed = nullptr;
  struct Plan {
    og_conv conv;
    uint64_t packed_bytes;
  };

  static bool supports(Prepare&) { return ConvService::available(); }
  void pack(Pack& p) {
    table = service<og_cpu_conv>(OG_CPU_CONV);
    const auto weights = p.constant(1);
    if (!weights) return;
    const Tensor tensor(*weights);
    const Dims dims = tensor.shape();
    if (dims.size() < 3) fail("W must have dims [C, M / group, kernel...], it has " + to_string(dims));
    const WindowGeometry g = window_geometry(read_windows(p, kernel_sizes(p, dims)));
    const og_conv conv = description(g, dims, p.get("group", int64_t{1}));
    void* memory = p.buffer<char>(table->transposed_packed_bytes(&conv));
    if (table->transposed_pack(&conv, tensor.data<float>(), memory) != 0)
      fail("the convolution service refused the weights");
    packed = memory;
  }
  Plan prepare(Prepare& p) const {
    Plan plan{};
    const Dims x = p.dims(0), w = p.dims(1);
    plan.conv = description(geometry(p, x, w, p.output_dims(0)), w, p.get("group", int64_t{1}));
    plan.conv.batch = x[0];
    if (!packed) plan.packed_bytes = (table->transposed_packed_bytes(&plan.conv) + 63) / 64 * 64;
    p.scratch(plan.packed_bytes + table->transposed_scratch_bytes(&plan.conv, p.threads()));
    return plan;
  }
  void run(Run& r) const {
    const Plan& plan = r.plan<Plan>();
    og_epilogue epilogue = og_epilogue_init();
    epilogue.bias_m = r.has(2) ? r.in<float>(2) : nullptr;
    char* memory = r.scratch<char>();
    const void* weights = packed;
    if (!weights) {
      if (table->transposed_pack(&plan.conv, r.in<float>(1), memory) != 0)
        fail("the convolution service refused the weights");
      weights = memory;
      memory += plan.packed_bytes;
    }
    if (table->transposed_run(&plan.conv, r.in<float>(0), weights, r.out<float>(0), &epilogue, memory, r.parallel()))
      fail("the convolution service refused the convolution");
  }
};

// Spreads weight * input to one output plane for one tap. `range` counts input elements.
template <class T>
void spread_tap(const WindowGeometry& g, const TapRange (&range)[kMaxSpatial], T weight, const T* x, T* y) {
  for (int64_t z = range[0].begin; z < range[0].end; ++z) {
    const int64_t out_z = z * g.stride[0] + range[0].first;
    for (int64_t row = range[1].begin; row < range[1].end; ++row) {
      const int64_t out_row = row * g.stride[1] + range[1].first;
      const T* from = x + (z * g.in[1] + row) * g.in[2];
      T* to = y + (out_z * g.out[1] + out_row) * g.out[2] + range[2].first;
      for (int64_t i = range[2].begin; i < range[2].end; ++i) to[i * g.stride[2]] += weight * from[i];
    }
  }
}

template <class T>
void conv_transpose(Run& r) {
  const Dims x_dims = r.input(0).shape(), w_dims = r.input(1).shape(), y_dims = r.output(0).shape();
  const WindowGeometry g = geometry(r, x_dims, w_dims, y_dims);
  WindowGeometry reversed = g;  // taps seen from the output: its elements are read, those of the input are counted
  std::swap(reversed.in, reversed.out);
  const int64_t channels = x_dims[1], outputs = y_dims[1], group_out = w_dims[1];
  const int64_t group_in = std::max<int64_t>(1, channels / r.get("group", int64_t{1}));
  const int64_t in_size = g.in_size(), out_size = g.out_size(), taps = g.taps();
  const T* x = r.in<T>(0);
  const T* w = r.in<T>(1);
  const T* bias = r.has(2) ? r.in<T>(2) : nullptr;
  T* y = r.out<T>(0);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, in_size * group_in * taps));
  r.parallel_for(x_dims[0] * outputs, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t image = plane / outputs, output = plane % outputs;
      const int64_t first = output / group_out * group_in;
      T* to = y + plane * out_size;
      std::fill_n(to, out_size, bias ? bias[output] : T(0));
      for (int64_t c = first; c < std::min(first + group_in, channels); ++c) {
        const T* from = x + (image * channels + c) * in_size;
        const T* weights = w + (c * group_out + output % group_out) * taps;
        for (int64_t tap = 0; tap < taps; ++tap) {
          const TapRange range[kMaxSpatial] = {tap_range(reversed, 0, tap / (g.kernel[1] * g.kernel[2])),
                                               tap_range(reversed, 1, tap / g.kernel[2] % g.kernel[1]),
                                               tap_range(reversed, 2, tap % g.kernel[2])};
          spread_tap(g, range, weights[tap], from, to);
        }
      }
    }
  });
}

OG_OP(ConvTranspose, "", 22) {
  op.doc("Transposed convolution: spreads X [N, C, spatial...] through W [C, M / group, kernel...], adds the bias B.")
      .input("X", "T")
      .input("W", "T")
      .input("B", "T", optional)
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("group", 1)
      .optional_attr("dilations", OG_ATTR_INTS)
      .optional_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("output_padding", OG_ATTR_INTS)
      .optional_attr("output_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::floats)
      .infer(infer)
      .pure()
      .flops([](Prepare& p) { return conv_flops(p.dims(1), p.dims(0)); })
      .kernel<ConvTransposeF32>(cpu, f32)
      .kernels<double>(cpu, [](auto zero, Run& r) { conv_transpose<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { conv_transpose<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(11, [](Op& o) { o.types("T", types::ieee); }).earlier(1);
}

}  // namespace
