// Convolutions of ResNet-50, MobileNetV2 and the PP-OCR detector and recogniser, batch 1.
#include <array>

#include "fma_peak.h"

namespace opgraft::bench {
namespace {

struct Shape {
  const char* name;
  int64_t in_channels, height, width, out_channels;
  int64_t kernel_height, kernel_width, stride, groups;
};

constexpr Shape kShapes[] = {
    {"resnet_first_7x7", 3, 224, 224, 64, 7, 7, 2, 1},
    {"resnet_56_1x1_64_256", 64, 56, 56, 256, 1, 1, 1, 1},
    {"resnet_56_3x3_64", 64, 56, 56, 64, 3, 3, 1, 1},
    {"resnet_56_3x3_128_stride2", 128, 56, 56, 128, 3, 3, 2, 1},
    {"resnet_56_1x1_256_512_stride2", 256, 56, 56, 512, 1, 1, 2, 1},
    {"resnet_28_3x3_128", 128, 28, 28, 128, 3, 3, 1, 1},
    {"resnet_28_1x1_512_128", 512, 28, 28, 128, 1, 1, 1, 1},
    {"resnet_14_3x3_256", 256, 14, 14, 256, 3, 3, 1, 1},
    {"resnet_14_1x1_1024_256", 1024, 14, 14, 256, 1, 1, 1, 1},
    {"resnet_7_3x3_512", 512, 7, 7, 512, 3, 3, 1, 1},
    {"resnet_7_1x1_2048_512", 2048, 7, 7, 512, 1, 1, 1, 1},
    {"mobilenet_first_3x3", 3, 224, 224, 32, 3, 3, 2, 1},
    {"mobilenet_depthwise_112_32", 32, 112, 112, 32, 3, 3, 1, 32},
    {"mobilenet_depthwise_112_96_stride2", 96, 112, 112, 96, 3, 3, 2, 96},
    {"mobilenet_depthwise_56_144", 144, 56, 56, 144, 3, 3, 1, 144},
    {"mobilenet_depthwise_28_192", 192, 28, 28, 192, 3, 3, 1, 192},
    {"mobilenet_depthwise_14_384", 384, 14, 14, 384, 3, 3, 1, 384},
    {"mobilenet_depthwise_7_960", 960, 7, 7, 960, 3, 3, 1, 960},
    {"mobilenet_112_1x1_16_96", 16, 112, 112, 96, 1, 1, 1, 1},
    {"mobilenet_56_1x1_24_144", 24, 56, 56, 144, 1, 1, 1, 1},
    {"mobilenet_14_1x1_384_64", 384, 14, 14, 64, 1, 1, 1, 1},
    {"mobilenet_7_1x1_960_320", 960, 7, 7, 320, 1, 1, 1, 1},
    {"detector_160_3x3_24", 24, 160, 160, 24, 3, 3, 1, 1},
    {"detector_80_depthwise5_40_stride2", 40, 80, 80, 40, 5, 5, 2, 40},
    {"recogniser_first_3x3", 3, 48, 320, 16, 3, 3, 2, 1},
    {"recogniser_depthwise5_120", 120, 12, 80, 120, 5, 5, 1, 120},
    {"recogniser_1x1_120_240", 120, 3, 40, 240, 1, 1, 1, 1},
    {"recogniser_1x3_60_120", 60, 3, 80, 120, 1, 3, 1, 1},
};

void conv(benchmark::State& state) {
  const auto* table = static_cast<const og_cpu_conv*>(service(OG_CPU_CONV));
  const Shape& s = kShapes[state.range(0)];
  og_conv d = og_conv_init(2);
  d.in_channels = s.in_channels;
  d.out_channels = s.out_channels;
  d.groups = s.groups;
  d.in[0] = s.height;
  d.in[1] = s.width;
  d.kernel[0] = s.kernel_height;
  d.kernel[1] = s.kernel_width;
  for (int i = 0; i < 2; ++i) {
    d.stride[i] = s.stride;
    d.pad_begin[i] = d.kernel[i] / 2;
    d.out[i] = (d.in[i] + 2 * d.pad_begin[i] - d.kernel[i]) / s.stride + 1;
  }
  const int64_t taps = s.in_channels / s.groups * s.kernel_height * s.kernel_width;
  const int64_t outputs = s.out_channels * d.out[0] * d.out[1];
  const auto x = floats(static_cast<uint64_t>(s.in_channels * s.height * s.width));
  const auto weights = floats(static_cast<uint64_t>(s.out_channels * taps));
  const auto bias = floats(static_cast<uint64_t>(s.out_channels));
  const auto y = floats(static_cast<uint64_t>(outputs));
  const auto packed = floats(table->packed_bytes(&d) / sizeof(float));
  table->pack(&d, weights.get(), packed.get());
  const auto scratch = floats(table->scratch_bytes(&d, 1) / sizeof(float));
  og_epilogue epilogue = og_epilogue_init();
  epilogue.bias_m = bias.get();
  epilogue.activation = OG_ACT_RELU;
  for (auto _ : state) table->run(&d, x.get(), packed.get(), y.get(), &epilogue, scratch.get(), nullptr);
  state.SetLabel(s.name);
  report(state, 2.0 * static_cast<double>(outputs * taps));
}

BENCHMARK(conv)
    ->DenseRange(0, static_cast<int64_t>(sizeof kShapes / sizeof kShapes[0]) - 1)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace opgraft::bench

BENCHMARK_MAIN();
