// The convolution service: reads descriptors, packs weights and chooses the way to compute.
#include "backends/cpu/conv.h"

#include <cstring>

namespace opgraft::cpu {

bool read_conv(const og_conv* conv, bool transposed, ConvProblem* problem) {
  if (conv == nullptr || conv->size < sizeof(og_conv) || conv->batch < 0 || conv->groups < 1) return false;
  if (conv->in_channels < 0 || conv->out_channels < 0 || conv->in_channels % conv->groups != 0 ||
      conv->out_channels % conv->groups != 0)
    return false;
  ConvProblem& c = *problem;
  if (!read_geometry(conv->spatial, conv->in, conv->out, conv->kernel, conv->stride, conv->dilation, conv->pad_begin,
                     &c.g))
    return false;
  c.batch = conv->batch;
  c.groups = conv->groups;
  c.group_in = conv->in_channels / conv->groups;
  c.group_out = conv->out_channels / conv->groups;
  c.pointwise = !transposed && c.g.taps() == 1;
  for (int i = 0; i < 3; ++i)
    c.pointwise = c.pointwise && c.g.stride[i] == 1 && c.g.pad[i] == 0 && c.g.in[i] == c.g.out[i];
  return true;
}

namespace {

template <int kLevel>
int32_t pack_weights(const og_conv* conv, const float* weights, void* packed) {
  ConvProblem c;
  if (!read_conv(conv, false, &c)) return 1;
  const TileKernels& t = tile_kernels(kLevel);
  float* dst = static_cast<float*>(packed);
  for (int64_t group = 0; group < c.groups; ++group) {
    const float* src = weights + group * c.group_out * c.depth();
    if (c.is_window()) {
      std::memcpy(dst, src, static_cast<size_t>(c.group_out * c.depth()) * sizeof(float));
    } else {
      for (int64_t i = 0; i < c.group_out; i += t.rows)
        pack_kernels(kLevel).panel_from_columns(src + i * c.depth(), c.depth(), c.depth(),
                                                smaller(t.rows, c.group_out - i), dst + i * c.depth(), t.rows);
    }
    dst += c.packed_group_floats(t);
  }
  return 0;
}

// Weights of a transposed convolution are the transposed matrix: [group_in, group_out * taps].
template <int kLevel>
int32_t transposed_pack_weights(const og_conv* conv, const float* weights, void* packed) {
  ConvProblem c;
  if (!read_conv(conv, true, &c)) return 1;
  const TileKernels& t = tile_kernels(kLevel);
  const int64_t rows = c.group_out * c.g.taps();
  float* dst = static_cast<float*>(packed);
  for (int64_t group = 0; group < c.groups; ++group) {
    const float* src = weights + group * c.group_in * rows;
    for (int64_t i = 0; i < rows; i += t.rows)
      pack_kernels(kLevel).panel_from_rows(src + i, rows, c.group_in, smaller(t.rows, rows - i), dst + i * c.group_in,
                                           t.rows);
    dst += round_up(rows, t.rows) * c.group_in;
  }
  return 0;
}

int64_t scratch_floats(const TileKernels& t, const ConvProblem& c, int32_t threads) {
  if (c.batch == 0 || c.groups * c.group_out == 0 || c.g.out_size() == 0) return 0;
  if (c.is_window()) return window_conv_scratch(c, threads);
  return c.pointwise ? pointwise_conv_scratch(t, c, threads) : general_conv_scratch(t, c, threads);
}

template <int kLevel>
int32_t run_conv(const og_conv* conv, bool transposed, const float* x, const void* packed, float* y,
                 const og_epilogue* epilogue, void* scratch, const og_parallel* parallel) {
  ConvProblem c;
  if (!read_conv(conv, transposed, &c)) return 1;
  if (epilogue != nullptr && (epilogue->bias_n != nullptr || (epilogue->residual == y && y != nullptr))) return 1;
  if (c.batch == 0 || c.groups * c.group_out == 0 || c.g.out_size() == 0) return 0;
  ConvArguments a{
      x, static_cast<const float*>(packed), y, epilogue_form(epilogue, 1.0f), static_cast<float*>(scratch), parallel};
  a.form.residual_row = c.g.out_size();
  if (transposed)
    run_transposed_conv(kLevel, c, a);
  else if (c.is_window())
    run_window_conv(kLevel, c, a);
  else if (c.pointwise)
    run_pointwise_conv(kLevel, c, a);
  else
    run_general_conv(kLevel, c, a);
  return 0;
}

uint64_t bytes_of(int64_t floats) { return static_cast<uint64_t>(floats) * sizeof(float); }

template <int kLevel>
constexpr og_cpu_conv make_table() {
  og_cpu_conv table{};
  table.size = sizeof table;
  table.level = kLevel;
  table.packed_bytes = [](const og_conv* conv) -> uint64_t {
    ConvProblem c;
    if (!read_conv(conv, false, &c)) return 0;
    return bytes_of(padded_floats(c.groups * c.packed_group_floats(tile_kernels(kLevel))));
  };
  table.pack = &pack_weights<kLevel>;
  table.scratch_bytes = [](const og_conv* conv, int32_t threads) -> uint64_t {
    ConvProblem c;
    if (!read_conv(conv, false, &c)) return 0;
    return bytes_of(most_for_threads(threads, [&](int32_t n) { return scratch_floats(tile_kernels(kLevel), c, n); }));
  };
  table.run = [](const og_conv* conv, const float* x, const void* packed, float* y, const og_epilogue* epilogue,
                 void* scratch, const og_parallel* parallel) -> int32_t {
    return run_conv<kLevel>(conv, false, x, packed, y, epilogue, scratch, parallel);
  };
  table.transposed_packed_bytes = [](const og_conv* conv) -> uint64_t {
    ConvProblem c;
    if (!read_conv(conv, true, &c)) return 0;
    const int64_t rows = round_up(c.group_out * c.g.taps(), tile_kernels(kLevel).rows);
    return bytes_of(padded_floats(c.groups * rows * c.group_in));
  };
  table.transposed_pack = &transposed_pack_weights<kLevel>;
  table.transposed_scratch_bytes = [](const og_conv* conv, int32_t threads) -> uint64_t {
    ConvProblem c;
    if (!read_conv(conv, true, &c) || c.batch == 0 || c.groups * c.group_out == 0 || c.g.out_size() == 0) return 0;
    return bytes_of(
        most_for_threads(threads, [&](int32_t n) { return transposed_conv_scratch(tile_kernels(kLevel), c, n); }));
  };
  table.transposed_run = [](const og_conv* conv, const float* x, const void* packed, float* y,
                            const og_epilogue* epilogue, void* scratch, const og_parallel* parallel) -> int32_t {
    return run_conv<kLevel>(conv, true, x, packed, y, epilogue, scratch, parallel);
  };
  return table;
}

}  // namespace

const og_cpu_conv& conv_table(int level) {
  static constexpr og_cpu_conv kTables[] = {make_table<0>(), make_table<1>(), make_table<2>()};
  return kTables[level];
}

}  // namespace opgraft::cpu
