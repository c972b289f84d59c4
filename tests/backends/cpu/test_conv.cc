// Convolution service: every level and way to compute, odd shapes, groups, 1 to 3 dims, transposed, against float64.
#include "cpu_test.h"

namespace opgraft::cpu_test {
namespace {

struct Case {
  int32_t spatial = 2;
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::vector<int64_t> in{}, kernel{}, stride{}, dilation{}, pad_begin{}, pad_end{};
  int32_t activation = OG_ACT_NONE;
  bool bias = true, residual = false, residual_last = false;
  int32_t threads = 1;
  int32_t scratch_threads = 0;  // 0 = threads
  bool transposed = false;
};

std::string join(const std::vector<int64_t>& v) {
  std::string s;
  for (int64_t x : v) {
    if (!s.empty()) s += 'x';
    s += std::to_string(x);
  }
  return s;
}

std::string text(const Case& c) {
  return std::string(c.transposed ? "transposed " : "") + std::to_string(c.batch) + "x" +
         std::to_string(c.in_channels) + " -> " + std::to_string(c.out_channels) + " groups " +
         std::to_string(c.groups) + " in " + join(c.in) + " kernel " + join(c.kernel) + " stride " + join(c.stride) +
         " dilation " + join(c.dilation) + " pad " + join(c.pad_begin) + ", " + join(c.pad_end) + " activation " +
         std::to_string(c.activation);
}

int64_t product(const int64_t* v, int32_t n) {
  int64_t p = 1;
  for (int32_t i = 0; i < n; ++i) p *= v[i];
  return p;
}

og_conv descriptor(const Case& c) {
  og_conv d = og_conv_init(c.spatial);
  d.batch = c.batch;
  d.in_channels = c.in_channels;
  d.out_channels = c.out_channels;
  d.groups = c.groups;
  for (size_t i = 0; i < static_cast<size_t>(c.spatial); ++i) {
    d.in[i] = c.in[i];
    d.kernel[i] = c.kernel[i];
    d.stride[i] = c.stride.empty() ? 1 : c.stride[i];
    d.dilation[i] = c.dilation.empty() ? 1 : c.dilation[i];
    d.pad_begin[i] = c.pad_begin.empty() ? 0 : c.pad_begin[i];
    const int64_t pad_end = c.pad_end.empty() ? d.pad_begin[i] : c.pad_end[i];
    const int64_t reach = (d.kernel[i] - 1) * d.dilation[i] + 1;
    d.out[i] = c.transposed ? (d.in[i] - 1) * d.stride[i] + reach - d.pad_begin[i] - pad_end
                            : (d.in[i] + d.pad_begin[i] + pad_end - reach) / d.stride[i] + 1;
  }
  return d;
}

// Sums of products, one for each output.
std::vector<double> reference(const og_conv& d, bool transposed, const std::vector<float>& x,
                              const std::vector<float>& w) {
  const int32_t dims = d.spatial;
  const int64_t in_size = product(d.in, dims), out_size = product(d.out, dims), taps = product(d.kernel, dims);
  const int64_t group_in = d.in_channels / d.groups, group_out = d.out_channels / d.groups;
  std::vector<double> y(static_cast<size_t>(d.batch * d.out_channels * out_size), 0.0);
  // Pairs (input pixel, tap) that meet an output pixel.
  const int64_t anchors = transposed ? in_size : out_size;
  const int64_t* anchor_dims = transposed ? d.in : d.out;
  const int64_t* other_dims = transposed ? d.out : d.in;
  for (int64_t anchor = 0; anchor < anchors; ++anchor)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t rest_anchor = anchor, rest_tap = tap, other = 0, scale = 1;
      bool inside = true;
      for (int32_t i = dims - 1; i >= 0; --i) {
        const int64_t at =
            rest_anchor % anchor_dims[i] * d.stride[i] + rest_tap % d.kernel[i] * d.dilation[i] - d.pad_begin[i];
        rest_anchor /= anchor_dims[i];
        rest_tap /= d.kernel[i];
        inside = inside && at >= 0 && at < other_dims[i];
        other += at * scale;
        scale *= other_dims[i];
      }
      if (!inside) continue;
      const int64_t in_pixel = transposed ? anchor : other, out_pixel = transposed ? other : anchor;
      for (int64_t n = 0; n < d.batch; ++n)
        for (int64_t m = 0; m < d.out_channels; ++m)
          for (int64_t k = 0; k < group_in; ++k) {
            const int64_t channel = m / group_out * group_in + k;
            const int64_t weight =
                transposed ? (channel * group_out + m % group_out) * taps + tap : (m * group_in + k) * taps + tap;
            y[static_cast<size_t>((n * d.out_channels + m) * out_size + out_pixel)] +=
                static_cast<double>(x[static_cast<size_t>((n * d.in_channels + channel) * in_size + in_pixel)]) *
                w[static_cast<size_t>(weight)];
          }
    }
  return y;
}

class Conv : public ::testing::TestWithParam<int> {
 protected:
  void check(const Case& c);
};

void Conv::check(const Case& c) {
  const og_cpu_conv& table = *services(GetParam()).conv;
  const og_conv d = descriptor(c);
  const int64_t out_size = product(d.out, d.spatial);
  const auto x = random_floats(d.batch * d.in_channels * product(d.in, d.spatial), 1);
  const auto w = random_floats(d.in_channels * d.out_channels / d.groups * product(d.kernel, d.spatial), 2);
  const auto bias = random_floats(d.out_channels, 3);
  const auto residual = random_floats(d.batch * d.out_channels * out_size, 4);
  og_epilogue e = og_epilogue_init();
  e.activation = c.activation;
  e.a = c.activation == OG_ACT_CLIP ? -0.5f : 0.2f;
  e.b = 0.7f;
  e.beta = 0.5f;
  e.residual_last = c.residual_last;
  if (c.bias) e.bias_m = bias.data();
  if (c.residual) e.residual = residual.data();

  const auto packed_bytes = c.transposed ? table.transposed_packed_bytes : table.packed_bytes;
  const auto pack = c.transposed ? table.transposed_pack : table.pack;
  const auto scratch_bytes = c.transposed ? table.transposed_scratch_bytes : table.scratch_bytes;
  const auto run = c.transposed ? table.transposed_run : table.run;
  std::vector<float> got(residual.size() + 32, 77.0f);
  {
    Buffer packed(packed_bytes(&d));
    ASSERT_EQ(pack(&d, w.data(), packed.get()), 0);
    Buffer scratch(scratch_bytes(&d, c.scratch_threads > 0 ? c.scratch_threads : c.threads));
    const Threads threads(c.threads);
    ASSERT_EQ(run(&d, x.data(), packed.get(), got.data(), &e, scratch.get(), c.threads > 1 ? threads.get() : nullptr),
              0);
  }
  for (size_t i = residual.size(); i < got.size(); ++i) ASSERT_EQ(got[i], 77.0f) << "written behind y: " << text(c);
  got.resize(residual.size());

  std::vector<double> want = reference(d, c.transposed, x, w);
  for (size_t i = 0; i < want.size(); ++i) {
    const size_t channel = i / static_cast<size_t>(out_size) % static_cast<size_t>(d.out_channels);
    if (c.bias) want[i] += bias[channel];
    const double added = c.residual ? 0.5 * residual[i] : 0;
    want[i] = c.residual_last ? apply_activation(c.activation, e.a, e.b, want[i]) + added
                              : apply_activation(c.activation, e.a, e.b, want[i] + added);
  }
  expect_close(got, want, text(c));
}

TEST_P(Conv, pointwise) {
  for (int64_t channels : {1, 3, 17, 64, 400})
    for (int64_t outputs : {1, 2, 13, 100})
      for (int64_t size : {1, 5, 13}) check({2, 2, channels, outputs, 1, {size, size + 1}, {1, 1}});
}

TEST_P(Conv, pointwise_in_groups_or_with_stride) {
  check({2, 2, 12, 18, 3, {7, 9}, {1, 1}});
  check({2, 2, 20, 18, 1, {7, 9}, {1, 1}, {2, 2}});
  check({2, 1, 20, 18, 1, {28, 17}, {1, 1}, {2, 3}});
  check({2, 1, 5, 7, 1, {6, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 2}, {0, 1}});
}

TEST_P(Conv, square_kernels) {
  for (int64_t kernel : {2, 3, 5, 7})
    for (int64_t stride : {1, 2, 3})
      for (int64_t size : {7, 13, 17, 40}) {
        check({2, 1, 3, 20, 1, {size, size + 2}, {kernel, kernel}, {stride, stride}, {}, {kernel / 2, kernel / 2}});
        check({2, 2, 9, 50, 1, {size, size}, {kernel, kernel}, {stride, stride}, {}, {kernel / 2, 0}});
      }
}

TEST_P(Conv, many_channels_in_blocks_of_depth) {
  check({2, 1, 130, 70, 1, {7, 7}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 130, 20, 1, {16, 16}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 700, 20, 1, {5, 4}, {1, 1}});
}

TEST_P(Conv, wide_images_in_blocks_of_pixels) {
  check({2, 1, 2, 30, 1, {3, 5003}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 30, 60, 1, {70, 64}, {3, 3}, {2, 2}, {}, {1, 1}});
  check({2, 1, 5, 4, 1, {120, 160}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 3, 3, 3, {90, 1500}, {3, 3}, {}, {}, {1, 1}});
}

TEST_P(Conv, uneven_kernels_strides_dilations_and_padding) {
  check({2, 1, 6, 14, 1, {12, 19}, {3, 1}, {1, 1}, {}, {1, 0}});
  check({2, 1, 6, 14, 1, {12, 19}, {1, 5}, {2, 1}, {}, {0, 2}});
  check({2, 1, 6, 14, 1, {12, 19}, {3, 3}, {1, 2}, {2, 3}, {2, 3}});
  check({2, 1, 6, 14, 1, {12, 19}, {3, 3}, {2, 3}, {2, 2}, {0, 4}, {3, 1}});
  check({2, 1, 6, 14, 1, {3, 3}, {3, 3}, {1, 1}, {}, {5, 5}});
  check({2, 1, 4, 9, 1, {9, 9}, {2, 2}, {3, 3}, {}, {0, 0}});
}

TEST_P(Conv, groups) {
  for (int64_t groups : {2, 4, 8}) check({2, 2, 16, 24, groups, {9, 11}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 64, 64, 32, {8, 8}, {3, 3}, {2, 2}, {}, {1, 1}});
}

TEST_P(Conv, depthwise) {
  for (int64_t kernel : {1, 3, 5, 7})
    for (int64_t stride : {1, 2, 3})
      for (int64_t size : {1, 2, 3, 5, 7, 8, 13, 14, 17, 31})
        check({2, 2, 5, 5, 5, {size + 1, size}, {kernel, kernel}, {stride, stride}, {}, {kernel / 2, kernel / 2}});
  check({2, 1, 3, 6, 3, {13, 17}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 3, 12, 3, {13, 17}, {3, 3}, {}, {}, {1, 1}});
  check({2, 1, 3, 3, 3, {13, 17}, {3, 3}, {}, {2, 2}, {2, 2}});
  check({2, 1, 3, 3, 3, {13, 17}, {3, 3}, {2, 2}, {3, 3}, {2, 2}});
  check({2, 1, 3, 3, 3, {127, 130}, {3, 3}, {1, 1}, {}, {1, 1}});
}

TEST_P(Conv, one_output_channel) {
  check({2, 2, 24, 1, 1, {20, 33}, {3, 3}, {}, {}, {1, 1}});
  check({2, 2, 24, 2, 2, {20, 33}, {3, 3}, {}, {}, {1, 1}});
}

TEST_P(Conv, one_and_three_dims) {
  check({1, 2, 7, 13, 1, {127}, {3}, {2}, {}, {1}});
  check({1, 1, 1, 16, 1, {1000}, {40}, {16}, {}, {0}});
  check({1, 1, 6, 6, 6, {5001}, {5}, {1}, {2}, {4}});
  check({3, 1, 3, 10, 1, {5, 6, 7}, {3, 3, 3}, {1, 1, 1}, {}, {1, 1, 1}});
  check({3, 2, 4, 10, 2, {5, 6, 7}, {2, 3, 1}, {2, 1, 2}, {1, 2, 1}, {1, 2, 0}});
  check({3, 1, 4, 4, 4, {5, 9, 17}, {3, 3, 3}, {1, 2, 1}, {}, {1, 1, 1}});
  check({3, 1, 4, 20, 1, {3, 4, 5}, {1, 1, 1}});
}

TEST_P(Conv, every_epilogue_on_every_way) {
  for (int32_t activation = OG_ACT_NONE; activation <= OG_ACT_LEAKY_RELU; ++activation)
    for (int residual = 0; residual < 3; ++residual) {
      Case c{2, 1, 8, 13, 1, {9, 10}, {3, 3}, {}, {}, {1, 1}};
      c.activation = activation;
      c.residual = residual > 0;
      c.residual_last = residual == 2;
      c.bias = residual != 1;
      check(c);
      c.kernel = {1, 1};
      c.pad_begin = {0, 0};
      check(c);
      c.out_channels = c.groups = 8;
      c.kernel = {3, 3};
      c.pad_begin = {1, 1};
      check(c);
      c.transposed = true;
      check(c);
    }
}

TEST_P(Conv, threads_share_the_work) {
  for (int64_t batch : {1, 3})
    for (int64_t size : {5, 30}) {
      Case c{2, batch, 20, 90, 1, {size, size}, {3, 3}, {}, {}, {1, 1}};
      c.threads = 4;
      check(c);
      c.kernel = {1, 1};
      c.pad_begin = {0, 0};
      check(c);
      c.groups = c.out_channels = 20;
      c.kernel = {3, 3};
      check(c);
      c.transposed = true;
      c.groups = 1;
      c.kernel = {2, 2};
      c.stride = {2, 2};
      check(c);
    }
}

TEST_P(Conv, fewer_threads_than_the_scratch_is_for) {
  for (int32_t threads : {1, 2, 3})
    for (int64_t kernel : {1, 3})
      for (int64_t size : {6, 12, 14, 30}) {
        Case c{2, 1, 70, 100, 1, {size, size}, {kernel, kernel}, {}, {}, {kernel / 2, kernel / 2}};
        c.threads = threads;
        c.scratch_threads = 4;
        check(c);
        c.transposed = true;
        check(c);
      }
}

TEST_P(Conv, empty_sizes) {
  check({2, 0, 3, 4, 1, {5, 5}, {3, 3}});
  check({2, 1, 0, 4, 1, {5, 5}, {3, 3}});
  check({2, 1, 0, 4, 1, {5, 5}, {1, 1}});
  check({2, 1, 3, 0, 1, {5, 5}, {3, 3}});
  check({2, 1, 3, 4, 1, {2, 5}, {3, 3}});
  Case c{2, 1, 3, 4, 1, {0, 0}, {3, 3}, {2, 2}, {}, {0, 0}};
  c.pad_end = {2, 2};
  check({2, 1, 3, 20, 1, {0, 4}, {1, 1}});
}

TEST_P(Conv, transposed) {
  for (int64_t kernel : {1, 2, 3, 4})
    for (int64_t stride : {1, 2, 3})
      for (int64_t outputs : {1, 7, 30}) {
        Case c{2, 2, 9, outputs, 1, {5, 8}, {kernel, kernel}, {stride, stride}, {}, {kernel / 2, 0}, {0, kernel / 3}};
        c.transposed = true;
        check(c);
      }
  Case c{2, 1, 12, 18, 3, {6, 7}, {3, 3}, {2, 2}, {2, 1}, {1, 2}, {1, 2}};
  c.transposed = true;
  check(c);
  c = {1, 2, 12, 18, 1, {50}, {4}, {2}, {}, {1}};
  c.transposed = true;
  check(c);
  c = {3, 1, 4, 6, 1, {3, 4, 5}, {2, 3, 2}, {2, 1, 2}, {}, {0, 1, 0}};
  c.transposed = true;
  check(c);
  c = {2, 1, 70, 60, 1, {30, 31}, {2, 2}, {2, 2}};
  c.transposed = true;
  check(c);
}

TEST_P(Conv, a_wrong_descriptor_is_refused) {
  const og_cpu_conv& table = *services(GetParam()).conv;
  og_conv d = og_conv_init(2);
  d.in_channels = 3;
  d.out_channels = 4;
  d.groups = 2;
  EXPECT_NE(table.run(&d, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
  d.groups = 1;
  d.stride[0] = 0;
  EXPECT_NE(table.run(&d, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
  d.stride[0] = 1;
  d.spatial = 4;
  EXPECT_NE(table.run(&d, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), 0);
}

INSTANTIATE_TEST_SUITE_P(Levels, Conv, ::testing::ValuesIn(levels()), level_name);

}  // namespace
}  // namespace opgraft::cpu_test
