// Conv: convolution over one to three spatial axes, with groups, strides, dilations and pads.
#include <opgraft/conv.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

struct ConvF32 {
  ConvService convolution;
  static bool supports(Prepare&) { return ConvService::available(); }
  void pack(Pack& p) { convolution.pack(p); }
  ConvService::Plan prepare(Prepare& p) const {
    const ConvService::Plan plan = convolution.prepare(p, p.output_dims(0));
    p.scratch(plan.scratch_bytes);
    return plan;
  }
  void run(Run& r) const {
    og_epilogue epilogue = og_epilogue_init();
    epilogue.bias_m = r.has(2) ? r.in<float>(2) : nullptr;
    convolution.run(r.plan<ConvService::Plan>(), r.in<float>(0), r.in<float>(1), r.out<float>(0), &epilogue,
                    r.scratch(), r.parallel());
  }
};

// Adds weight * input for one tap of the window to one output plane, row by row.
template <class T>
void add_tap(const WindowGeometry& g, const TapRange (&range)[kMaxSpatial], T weight, const T* x, T* y) {
  for (int64_t z = range[0].begin; z < range[0].end; ++z) {
    const int64_t in_z = z * g.stride[0] + range[0].first;
    for (int64_t row = range[1].begin; row < range[1].end; ++row) {
      const int64_t in_row = row * g.stride[1] + range[1].first;
      const T* from = x + (in_z * g.in[1] + in_row) * g.in[2] + range[2].first;
      T* to = y + (z * g.out[1] + row) * g.out[2];
      const int64_t stride = g.stride[2];
      if (stride == 1) {
#pragma omp simd
        for (int64_t i = range[2].begin; i < range[2].end; ++i) to[i] += weight * from[i];
      } else {
        for (int64_t i = range[2].begin; i < range[2].end; ++i) to[i] += weight * from[i * stride];
      }
    }
  }
}

template <class T>
void conv(Run& r) {
  const Dims x_dims = r.input(0).shape(), w_dims = r.input(1).shape(), y_dims = r.output(0).shape();
  const WindowGeometry g = window_geometry(read_windows(r, kernel_sizes(r, w_dims)), x_dims, y_dims);
  const int64_t group = r.get("group", int64_t{1});
  const int64_t channels = x_dims[1], outputs = y_dims[1], group_in = w_dims[1];
  const int64_t group_out = std::max<int64_t>(1, outputs / group);
  const int64_t in_size = g.in_size(), out_size = g.out_size(), taps = g.taps();
  const T* x = r.in<T>(0);
  const T* w = r.in<T>(1);
  const T* bias = r.has(2) ? r.in<T>(2) : nullptr;
  T* y = r.out<T>(0);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, out_size * group_in * taps));
  r.parallel_for(x_dims[0] * outputs, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t image = plane / outputs, output = plane % outputs;
      T* to = y + plane * out_size;
      std::fill_n(to, out_size, bias ? bias[output] : T(0));
      for (int64_t c = 0; c < group_in; ++c) {
        const T* from = x + (image * channels + output / group_out * group_in + c) * in_size;
        const T* weights = w + (output * group_in + c) * taps;
        for (int64_t tap = 0; tap < taps; ++tap) {
          const TapRange range[kMaxSpatial] = {tap_range(g, 0, tap / (g.kernel[1] * g.kernel[2])),
                                               tap_range(g, 1, tap / g.kernel[2] % g.kernel[1]),
                                               tap_range(g, 2, tap % g.kernel[2])};
          add_tap(g, range, weights[tap], from, to);
        }
      }
    }
  });
}

OG_OP(Conv, "", 22) {
  op.doc("Convolves X [N, C, spatial...] with filters W [M, C / group, kernel...] and adds the bias B [M].")
      .input("X", "T")
      .input("W", "T")
      .input("B", "T", optional)
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("group", 1)
      .optional_attr("dilations", OG_ATTR_INTS)
      .optional_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (const auto dims = conv_dims(c))
          c.out(0, c.dtype(0), *dims);
        else
          c.out(0, c.dtype(0));
      })
      .pure()
      .flops([](Prepare& p) { return conv_flops(p.dims(1), p.output_dims(0)); })
      .kernel<ConvF32>(cpu, f32)
      .kernels<double>(cpu, [](auto zero, Run& r) { conv<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { conv<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(11, [](Op& o) { o.types("T", types::ieee); }).earlier(1);
}

}  // namespace
