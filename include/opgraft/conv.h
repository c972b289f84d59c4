// What convolution operators share: shapes of Conv, and its fp32 form on the convolution service.
#ifndef OPGRAFT_CONV_H_
#define OPGRAFT_CONV_H_

#include <string>
#include <vector>

#include "opgraft/context.h"
#include "opgraft/nn.h"
#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

// Spatial sizes of the kernel: attribute kernel_shape checked against the weights' dims, which may hold symbols.
inline std::vector<int64_t> kernel_sizes(const Node& node, const Dims& weights) {
  std::vector<int64_t> sizes(weights.begin() + 2, weights.end());
  const std::vector<int64_t> given = node.ints("kernel_shape");
  if (given.empty()) return sizes;
  bool fits = given.size() == sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i) fits = is_symbol(sizes[i]) || sizes[i] == given[i];
  if (!fits) fail("kernel_shape = " + to_string(given) + " does not fit the weights' dims " + to_string(weights));
  return given;
}

inline void check_channels(int64_t found, int64_t wanted, const char* what) {
  if (is_known(found) && is_known(wanted) && found != wanted)
    fail(std::string(what) + ": found " + std::to_string(found) + ", expected " + std::to_string(wanted));
}

inline void check_ranks(const Dims& x, const Dims& w) {
  if (x.size() < 3) fail("X must have dims [N, C, spatial...], it has " + to_string(x));
  if (x.size() != w.size())
    fail("X of dims " + to_string(x) + " and W of dims " + to_string(w) + " must have the same rank");
}

// Dims of Conv's output for inputs X, W, B at 0, 1, 2; nothing when a rank is unknown. Fails for dims that do not fit.
inline std::optional<Dims> conv_dims(const Infer& c) {
  if (!c.ranked(0) || !c.ranked(1)) return std::nullopt;
  const Dims x = c.dims(0), w = c.dims(1);
  check_ranks(x, w);
  const int64_t group = c.get("group", int64_t{1});
  if (group < 1) fail("group = " + std::to_string(group) + " must be at least 1");
  check_channels(x[1], c.mul(w[1], group), "channels of X must be dim 1 of W times group");
  if (is_known(w[0]) && w[0] % group != 0)
    fail("dim 0 of W, " + std::to_string(w[0]) + ", is not a multiple of group = " + std::to_string(group));
  if (c.has(2) && c.ranked(2)) {
    if (c.ndim(2) != 1) fail("B must have rank 1, it has dims " + to_string(c.dims(2)));
    check_channels(c.dim(2, 0), w[0], "length of B must be dim 0 of W");
  }
  const Windows windows = read_windows(c, kernel_sizes(c, w));
  Dims y{x[0], w[0]};
  for (int i = 0; i < windows.spatial(); ++i) y.push_back(window_count(c, windows, i, x[static_cast<size_t>(i) + 2]));
  return y;
}

inline og_conv conv_description(const Windows& windows, const Dims& weights, int64_t group) {
  og_conv conv = og_conv_init(kMaxSpatial);
  window_geometry(windows).fill(conv);
  conv.groups = group;
  conv.in_channels = weights[1] * group;
  conv.out_channels = weights[0];
  return conv;
}

// The fp32 convolution of inputs X, W at 0, 1. Constant weights are packed once, others at every run.
class ConvService {
 public:
  struct Plan {
    og_conv conv{};
    uint64_t packed_bytes = 0;  // at the front of scratch; 0 when the weights are packed already
    uint64_t scratch_bytes = 0;
  };

  static bool available() { return service<og_cpu_conv>(OG_CPU_CONV) != nullptr; }

  void pack(Pack& p) {
    table_ = service<og_cpu_conv>(OG_CPU_CONV);
    const auto weights = p.constant(1);
    if (!weights) return;
    const Tensor tensor(*weights);
    const Dims dims = tensor.shape();
    if (dims.size() < 3) fail("W must have dims [M, C / group, kernel...], it has " + to_string(dims));
    const og_conv conv = conv_description(read_windows(p, kernel_sizes(p, dims)), dims, p.get("group", int64_t{1}));
    void* memory = p.buffer<char>(table_->packed_bytes(&conv));
    if (table_->pack(&conv, tensor.data<float>(), memory) != 0) fail("the convolution service refused the weights");
    packed_ = memory;
  }

  // `y`: dims of the convolution's result. Does not ask for scratch: the caller does, Plan::scratch_bytes of it.
  Plan prepare(Prepare& p, const Dims& y) const {
    Plan plan;
    const Dims x = p.dims(0), w = p.dims(1);
    const Windows windows = read_windows(p, kernel_sizes(p, w));
    plan.conv = conv_description(windows, w, p.get("group", int64_t{1}));
    window_geometry(windows, x, y).fill(plan.conv);
    plan.conv.batch = x[0];
    if (!packed_) plan.packed_bytes = (table_->packed_bytes(&plan.conv) + 63) / 64 * 64;
    plan.scratch_bytes = plan.packed_bytes + (table_->scratch_bytes(&plan.conv, p.threads()) + 63) / 64 * 64;
    return plan;
  }

  void run(const Plan& plan, const float* x, const float* weights, float* y, const og_epilogue* epilogue, void* scratch,
           const og_parallel* parallel) const {
    const void* packed = packed_;
    char* memory = static_cast<char*>(scratch);
    if (!packed) {
      if (table_->pack(&plan.conv, weights, memory) != 0) fail("the convolution service refused the weights");
      packed = memory;
      memory += plan.packed_bytes;
    }
    if (table_->run(&plan.conv, x, packed, y, epilogue, memory, parallel) != 0)
      fail("the convolution service refused the convolution");
  }

 private:
  const og_cpu_conv* table_ = nullptr;
  const void* packed_ = nullptr;
};

inline double conv_flops(const Dims& weights, const Dims& y) {
  double flops = 2.0;
  for (size_t i = 1; i < weights.size(); ++i) flops *= static_cast<double>(weights[i]);
  for (int64_t dim : y) flops *= static_cast<double>(dim);
  return flops;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_CONV_H_
