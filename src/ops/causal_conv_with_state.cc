// CausalConvWithState: each channel convolved with its own kernel over the past, of which the end is carried on.
#include <opgraft/agree.h>
#include <opgraft/op.h>
#include <opgraft/services.h>
#include <opgraft/vectorize.h>

#include <algorithm>
#include <cmath>
using namespace opgraft;
namespace {

enum Input { kX, kWeight, kBias, kPast };

bool is_activated(const Node& node) {
  const std::string name = node.get("activation", "none");
  if (name != "none" && name != "silu" && name != "swish")
    fail("activation = \"" + name + "\" must be none, silu or swish");
  return name != "none";
}

void infer(Infer& c) {
  is_activated(c);
  static constexpr const char* kNames[] = {"input", "weight", "bias", "past_state"};
  static constexpr int kRanks[] = {3, 3, 1, 3};
  for (int i = kX; i <= kPast; ++i)
    if (c.ranked(i) && c.ndim(i) != kRanks[i])
      fail(std::string(kNames[i]) + " must have rank " + std::to_string(kRanks[i]) + ", it has dims " +
           to_string(c.dims(i)));
  int64_t channels = agree(c.dim(kX, 1), c.dim(kWeight, 0), "the channels of input and weight");
  agree(1, c.dim(kWeight, 1), "1 and axis 1 of weight");
  if (c.has(kBias)) channels = agree(channels, c.dim(kBias, 0), "the channels of input and bias");
  const int64_t size = c.dim(kWeight, 2);
  if (is_known(size) && size < 1)
    fail("weight has a kernel of size " + std::to_string(size) + ", at least 1 is needed");
  int64_t batch = c.dim(kX, 0), carried = is_known(size) ? size - 1 : c.sub(size, 1);
  if (c.has(kPast)) {
    batch = agree(batch, c.dim(kPast, 0), "the batch sizes of input and past_state");
    channels = agree(channels, c.dim(kPast, 1), "the channels of input and past_state");
    carried = agree(carried, c.dim(kPast, 2), "the kernel size less 1 and the length of past_state");
  }
  c.out(0, c.dtype(kX), {batch, channels, c.dim(kX, 2)});
  c.out(1, c.dtype(kX), {batch, channels, carried});
}

// One channel: `x` holds size - 1 + length elements.
template <class T>
void convolve(const T* x, const T* weight, int64_t size, T bias, int64_t length, T* y) {
  vectorize([=]() OG_SIMD {
    constexpr int64_t kBand = 64;
    for (int64_t first = 0; first < length; first += kBand) {
      const int64_t count = length - first < kBand ? length - first : kBand;
      T sums[kBand];
      for (int64_t i = 0; i < count; ++i) sums[i] = bias;
      for (int64_t k = 0; k < size; ++k)
        for (int64_t i = 0; i < count; ++i) sums[i] += weight[k] * x[first + i + k];
      for (int64_t i = 0; i < count; ++i) y[first + i] = sums[i];
    }
  });
}

struct CausalConvF32 {
  bool activated = false;
  const og_cpu_math* math = nullptr;

  static bool supports(Prepare&) { return service<og_cpu_math>(OG_CPU_MATH) != nullptr; }
  void pack(Pack& p) {
    activated = is_activated(p);
    math = service<og_cpu_math>(OG_CPU_MATH);
  }
  // Elements of one channel with what comes before it.
  static int64_t row(const Dims& x, const Dims& weight) { return (x[2] + weight[2] - 1 + 15) / 16 * 16; }
  void prepare(Prepare& p) const {
    const Dims x = p.dims(kX);
    if (x[0] == 0 || x[1] == 0) return;
    p.scratch(static_cast<uint64_t>(row(x, p.dims(kWeight))) * sizeof(float) *
              static_cast<uint64_t>(std::max(1, p.threads())));
  }
  void run(Run& r) const {
    const Tensor x = r.input(kX);
    const int64_t channels = x.dim(1), length = x.dim(2), size = r.input(kWeight).dim(2), carried = size - 1;
    const int64_t step = row(x.shape(), r.input(kWeight).shape());
    const float *from = r.in<float>(kX), *weight = r.in<float>(kWeight);
    const float *bias = r.has(kBias) ? r.in<float>(kBias) : nullptr,
                *past = r.has(kPast) ? r.in<float>(kPast) : nullptr;
    float *y = r.out<float>(0), *present = r.uses_output(1) ? r.out<float>(1) : nullptr;
    r.parallel_for(x.dim(0) * channels, 16384 / std::max<int64_t>(1, length * size) + 1,
                   [&](int64_t begin, int64_t end, int32_t worker) {
                     float* line = r.scratch<float>() + worker * step;
                     for (int64_t i = begin; i < end; ++i) {
                       if (past)
                         std::copy_n(past + i * carried, carried, line);
                       else
                         std::fill_n(line, carried, 0.0f);
                       std::copy_n(from + i * length, length, line + carried);
                       const int64_t channel = i % channels;
                       convolve(line, weight + channel * size, size, bias ? bias[channel] : 0.0f, length,
                                y + i * length);
                       if (activated) math->silu(y + i * length, y + i * length, length);
                       if (present) std::copy_n(line + length, carried, present + i * carried);
                     }
                   });
  }
};

bool body(Graph& g) {
  const Type x = g.type(kX), weight = g.type(kWeight);
  if (!x.ranked || x.dtype == any || !weight.ranked || !is_known(weight.dims[0]) || weight.dims[0] == 0) return false;
  g.ints("one", {1});
  g.ints("channel_axis", {2});
  g.node("Shape", {"weight"}, {"size"}).attr("start", 2).attr("end", 3);
  g.node("Sub", {"size", "one"}, {"carried"});
  std::string before = "past_state";
  if (!g.has(kPast)) {
    g.node("Shape", {"input"}, {"rows"}).attr("start", 0).attr("end", 2);
    g.node("Concat", {"rows", "carried"}, {"past_dims"}).attr("axis", 0);
    g.scalar_like("nothing", 0, kX);
    g.node("Expand", {"nothing", "past_dims"}, {"before"});
    before = "before";
  }
  g.node("Concat", {before, "input"}, {"line"}).attr("axis", 2);
  // Conv makes no output of length 0: where that may be wanted, one more position comes and goes.
  const bool sure = is_known(x.dims[2]) && x.dims[2] > 0;
  if (!sure) {
    g.ints("one_behind", {0, 1});
    g.node("Pad", {"line", "one_behind", "", "channel_axis"}, {"longer_line"});
  }
  std::vector<std::string> inputs{sure ? "line" : "longer_line", "weight"};
  if (g.has(kBias)) inputs.push_back("bias");
  const bool activated = is_activated(g);
  const std::string sums = activated ? "sums" : "output";
  g.node("Conv", inputs, {sure ? sums : "longer_sums"}).attr("group", weight.dims[0]);
  if (!sure) {
    g.ints("first", {0});
    g.node("Shape", {"input"}, {"length"}).attr("start", 2).attr("end", 3);
    g.node("Slice", {"longer_sums", "first", "length", "channel_axis"}, {sums});
  }
  if (activated) g.node("Swish", {"sums"}, {"output"});
  g.node("Shape", {"line"}, {"end"}).attr("start", 2).attr("end", 3);
  g.node("Sub", {"end", "carried"}, {"begin"});
  g.node("Slice", {"line", "begin", "end", "channel_axis"}, {"present_state"});
  return true;
}

OG_OP(CausalConvWithState, "", 27) {
  op.doc(
        "Convolution of each channel over present and past positions; the last size - 1 inputs are given back for the "
        "next call.")
      .input("input", "T")
      .input("weight", "T")
      .input("bias", "T", optional)
      .input("past_state", "T", optional)
      .output("output", "T")
      .output("present_state", "T")
      .attr("activation", "none")
      .types("T", {f32, f16, bf16})
      .infer(&infer)
      .body(&body)
      .pure()
      .kernel<CausalConvF32>(cpu, f32);
}

}  // namespace
