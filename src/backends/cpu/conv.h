// The ways to compute a convolution, each with its plan and run; conv.cc chooses among them.
#ifndef OPGRAFT_BACKENDS_CPU_CONV_H_
#define OPGRAFT_BACKENDS_CPU_CONV_H_

#include <cstdint>

#include "backends/cpu/band.h"
#include "backends/cpu/drivers.h"
#include "backends/cpu/kernels.h"

namespace opgraft::cpu {

// A convolution descriptor per group: rows = output channels, depth = input channels * taps.
struct ConvProblem {
  Geometry g;
  int64_t batch, groups;
  int64_t group_in, group_out;
  bool pointwise;  // 1 x 1, stride 1, no padding: a plain matrix product

  int64_t depth() const { return group_in * g.taps(); }
  // Few outputs share an input, so that sums over windows beat matrix tiles. Does not depend on sizes or padding.
  bool is_window() const {
    const bool thin = g.taps() == 1 && groups == 1;
    return (group_out == 1 && !thin) || (group_in == 1 && group_out <= 3);
  }
  int64_t packed_group_floats(const TileKernels& t) const {
    return is_window() ? group_out * depth() : round_up(group_out, t.rows) * depth();
  }
};

bool read_conv(const og_conv* conv, bool transposed, ConvProblem* problem);

struct ConvArguments {
  const float* x;
  const float* packed;
  float* y;
  EpilogueForm form;
  float* scratch;
  const og_parallel* parallel;
};

int64_t window_conv_scratch(const ConvProblem& c, int32_t threads);
void run_window_conv(int level, const ConvProblem& c, const ConvArguments& a);

int64_t pointwise_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads);
void run_pointwise_conv(int level, const ConvProblem& c, const ConvArguments& a);

int64_t general_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads);
void run_general_conv(int level, const ConvProblem& c, const ConvArguments& a);

int64_t transposed_conv_scratch(const TileKernels& t, const ConvProblem& c, int32_t threads);
void run_transposed_conv(int level, const ConvProblem& c, const ConvArguments& a);

}  // namespace opgraft::cpu

#endif  // OPGRAFT_BACKENDS_CPU_CONV_H_
