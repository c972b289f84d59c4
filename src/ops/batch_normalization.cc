// BatchNormalization: each channel is shifted and scaled by given statistics, or by its own in training mode.
#include <opgraft/op.h>
#include <opgraft/vectorize.h>

#include <cmath>
using namespace opgraft;
namespace {

// Statistics may have another float type than X.
double number_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case f64:
      return tensor.data<double>()[i];
    case f16:
      return tensor.data<half_t>()[i];
    case bf16:
      return tensor.data<bfloat_t>()[i];
    default:
      return tensor.data<float>()[i];
  }
}

void set_number(const Tensor& tensor, int64_t i, double value) {
  switch (tensor.dtype()) {
    case f64:
      tensor.data<double>()[i] = value;
      break;
    case f16:
      tensor.data<half_t>()[i] = half_t(static_cast<float>(value));
      break;
    case bf16:
      tensor.data<bfloat_t>()[i] = bfloat_t(static_cast<float>(value));
      break;
    default:
      tensor.data<float>()[i] = static_cast<float>(value);
  }
}

// Y = (X - mean) * factor + bias, one of each per channel.
template <class T>
struct Channels {
  std::vector<T> mean, factor, bias;
  double epsilon;

  Channels(const Run& r, int64_t count)
      : mean(static_cast<size_t>(count)),
        factor(static_cast<size_t>(count)),
        bias(static_cast<size_t>(count)),
        epsilon(static_cast<double>(r.get("epsilon", 1e-5f))) {
    for (int64_t i = 0; i < count; ++i) bias[static_cast<size_t>(i)] = static_cast<T>(number_at(r.input(2), i));
  }
  void set(const Run& r, int64_t channel, double average, double variance) {
    const auto at = static_cast<size_t>(channel);
    mean[at] = static_cast<T>(average);
    factor[at] = static_cast<T>(number_at(r.input(1), channel) / std::sqrt(variance + epsilon));
  }
};

template <class T>
void measure(Run& r, Channels<T>& channels, int64_t batch, int64_t count, int64_t plane) {
  const T* x = r.in<T>(0);
  const double keep = r.get("momentum", 0.9f);
  const double total = static_cast<double>(batch * plane);
  for (int64_t channel = 0; channel < count; ++channel) {
    double sum = 0, squares = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t i = 0; i < plane; ++i) sum += x[(n * count + channel) * plane + i];
    const double mean = sum / total;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t i = 0; i < plane; ++i) {
        const double distance = x[(n * count + channel) * plane + i] - mean;
        squares += distance * distance;
      }
    const double variance = squares / total;
    channels.set(r, channel, mean, variance);
    if (r.uses_output(1)) set_number(r.output(1), channel, number_at(r.input(3), channel) * keep + mean * (1.0 - keep));
    if (r.uses_output(2))
      set_number(r.output(2), channel, number_at(r.input(4), channel) * keep + variance * (1.0 - keep));
  }
}

template <class T>
void batch_normalization(Run& r) {
  const Tensor input = r.input(0);
  const int64_t batch = input.dim(0), count = input.ndim() > 1 ? input.dim(1) : 1;
  const int64_t plane = input.ndim() > 2 ? input.product(2, input.ndim()) : 1;
  Channels<T> channels(r, count);
  if (r.get("training_mode", 0) != 0)
    measure(r, channels, batch, count, plane);
  else
    for (int64_t i = 0; i < count; ++i) channels.set(r, i, number_at(r.input(3), i), number_at(r.input(4), i));
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  if (plane == 1) {
    r.parallel_for(batch, 16384 / std::max<int64_t>(1, count) + 1, [&](int64_t begin, int64_t end) {
      vectorize([&]() OG_SIMD {
        for (int64_t row = begin; row < end; ++row) {
          const T *from = x + row * count, *mean = channels.mean.data(), *factor = channels.factor.data();
          const T* bias = channels.bias.data();
          T* to = y + row * count;
#pragma omp simd
          for (int64_t i = 0; i < count; ++i) to[i] = (from[i] - mean[i]) * factor[i] + bias[i];
        }
      });
    });
    return;
  }
  r.parallel_for(batch * count, 16384 / std::max<int64_t>(1, plane) + 1, [&](int64_t begin, int64_t end) {
    vectorize([&]() OG_SIMD {
      for (int64_t at = begin; at < end; ++at) {
        const auto channel = static_cast<size_t>(at % count);
        const T mean = channels.mean[channel], factor = channels.factor[channel], bias = channels.bias[channel];
        const T* from = x + at * plane;
        T* to = y + at * plane;
#pragma omp simd
        for (int64_t i = 0; i < plane; ++i) to[i] = (from[i] - mean) * factor + bias;
      }
    });
  });
}

void infer(Infer& c) {
  c.same(0, 0);
  const int64_t channels = c.ranked(0) ? (c.ndim(0) > 1 ? c.dim(0, 1) : 1) : kUnknown;
  if (c.ranked(0) && c.ndim(0) < 1) fail("X must have dims [N, C, ...], it is a scalar");
  static const char* const names[] = {"scale", "B", "input_mean", "input_var"};
  for (int i = 1; i < 5; ++i) {
    if (!c.ranked(i)) continue;
    if (c.ndim(i) != 1 || (is_known(channels) && is_known(c.dim(i, 0)) && c.dim(i, 0) != channels))
      fail(std::string(names[i - 1]) + " has dims " + to_string(c.dims(i)) + ", one value per channel of X " +
           to_string(c.dims(0)) + " is needed");
  }
  for (int i = 1; i < std::min(c.output_count(), 3); ++i) c.out(i, c.dtype(3), {channels});
}

void old_signature(Op& op) {
  op.input("X", "T")
      .input("scale", "T")
      .input("B", "T")
      .input("mean", "T")
      .input("var", "T")
      .output("Y", "T")
      .output("mean", "T", optional)
      .output("var", "T", optional)
      .output("saved_mean", "T", optional)
      .output("saved_var", "T", optional)
      .attr("epsilon", 1e-5f)
      .attr("momentum", 0.9f)
      .types("T", {f16, f32, f64});
}

// Opsets 7 to 13 told training by the presence of outputs.
void raise_old(Graph& g) {
  if (g.get("spatial", 1) == 0) fail("spatial = 0 (statistics per element) is not supported; only spatial = 1 is");
  const bool training = g.uses_output(3) || g.uses_output(4);
  if (training) fail("outputs saved_mean and saved_var exist for training only and are not supported");
  const bool update = g.uses_output(1) || g.uses_output(2);
  std::vector<std::string> outputs{"0"};
  if (update) outputs = {"0", g.uses_output(1) ? "1" : "", g.uses_output(2) ? "2" : ""};
  g.node("BatchNormalization", {"0", "1", "2", "3", "4"}, outputs)
      .attr_from("epsilon")
      .attr_from("momentum")
      .attr("training_mode", update ? 1 : 0);
}

OG_OP(BatchNormalization, "", 15) {
  op.doc("Normalizes each channel of X [N, C, ...]: (X - mean) / sqrt(var + epsilon) * scale + B.")
      .input("X", "T")
      .input("scale", "T1")
      .input("B", "T1")
      .input("input_mean", "T2")
      .input("input_var", "T2")
      .output("Y", "T")
      .output("running_mean", "T2", optional)
      .output("running_var", "T2", optional)
      .attr("epsilon", 1e-5f)
      .attr("momentum", 0.9f)
      .attr("training_mode", 0)
      .types("T", types::floats)
      .types("T1", types::floats)
      .types("T2", types::floats)
      .infer(infer)
      .inplace(0, 0)
      .pure()
      .kernels<float, double>(cpu, [](auto zero, Run& r) { batch_normalization<decltype(zero)>(r); });
  op.version(
        7,
        [](Op& old) {
          old_signature(old);
          old.attr("spatial", 1);
        },
        raise_old)
      .version(9, old_signature, raise_old)
      .version(
          14,
          [](Op& old) {
            old.input("X", "T")
                .input("scale", "T")
                .input("B", "T")
                .input("input_mean", "U")
                .input("input_var", "U")
                .output("Y", "T")
                .output("running_mean", "U", optional)
                .output("running_var", "U", optional)
                .attr("epsilon", 1e-5f)
                .attr("momentum", 0.9f)
                .attr("training_mode", 0)
                .types("T", types::floats)
                .types("U", types::floats);
          },
          [](Graph&) { return false; });
  op.earlier(6, [](Op& o) { o.attr("is_test", 0); }).earlier(1, [](Op& o) {
    o.required_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
