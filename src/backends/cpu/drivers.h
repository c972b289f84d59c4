// What the GEMM and convolution drivers share: parallel loops, scratch layout, epilogues and loops over register tiles.
#ifndef OPGRAFT_BACKENDS_CPU_DRIVERS_H_
#define OPGRAFT_BACKENDS_CPU_DRIVERS_H_

#include <cstdint>

#include "backends/cpu/kernels.h"

namespace opgraft::cpu {

inline int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }
inline int64_t divide_up(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }
inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Floats of a scratch part: whole cache lines, with the slack that kernels may touch.
inline int64_t padded_floats(int64_t floats) { return round_up(floats + kSlack, 16); }

// fn(begin, end, worker) over disjoint parts of [0, n).
template <class Fn>
void for_range(const og_parallel* parallel, int64_t n, int64_t grain, const Fn& fn) {
  if (n <= 0) return;
  if (parallel == nullptr || parallel->threads <= 1 || n <= grain) {
    fn(int64_t{0}, n, int32_t{0});
    return;
  }
  parallel->parallel_for(
      parallel->ctx, n, grain,
      [](void* user, int64_t begin, int64_t end, int32_t worker) {
        (*static_cast<const Fn*>(user))(begin, end, worker);
      },
      const_cast<Fn*>(&fn));
}

inline int32_t thread_count(const og_parallel* parallel) {
  return parallel == nullptr || parallel->threads < 1 ? 1 : parallel->threads;
}

// The most that fn(n) asks for with 1 to `threads` threads: a run may get fewer threads than its scratch was sized for.
template <class Fn>
int64_t most_for_threads(int32_t threads, const Fn& fn) {
  int64_t most = 0;
  for (int32_t n = 1; n <= (threads < 1 ? 1 : threads); ++n) most = larger(most, fn(n));
  return most;
}

// An epilogue split into what register tiles do and what a second pass over finished rows does.
struct EpilogueForm {
  Finish finish;
  bool second_pass = false;
  int32_t activation = OG_ACT_NONE;
  float a = 0.0f;
  float b = 0.0f;
  const float* bias_n = nullptr;
  const float* bias_m = nullptr;
  const float* residual = nullptr;
  int64_t residual_row = 0;
  int64_t residual_stride = 0;

  // The residual as tiles see it.
  const float* in_tiles(const float* at_block) const {
    return second_pass && finish.residual_last ? nullptr : at_block;
  }
};
EpilogueForm epilogue_form(const og_epilogue* epilogue, float alpha);

// The second pass over a block of C; `residual` at the block's place.
void second_pass(const EpilogueForm& form, const og_cpu_math& math, float* c, int64_t c_row, int64_t rows,
                 int64_t columns, const float* residual);

// Columns [0, columns) of rows [0, rows) for one block of depth. Panels of B are `panel_stride` apart and lie side by
// side when B is not packed.
struct Block {
  int64_t rows, columns, depth;
  const float* a;
  bool a_packed;
  int64_t a_panel;  // packed: floats between two panels of rows
  int64_t a_row, a_column;
  const float* b;
  int64_t b_panel;
  int64_t b_row;
  const int32_t* b_offsets;
  float* c;
  int64_t c_row;
  bool accumulate;
  const Finish* finish;
  const float* bias_m;
  const float* bias_n;
  const float* residual;
  int64_t residual_row;
};
void multiply_block(const TileKernels& kernels, const Block& block);

// Depth of a block: panels of B of this depth stay in the first-level cache. At least 1.
int64_t block_depth(const TileKernels& kernels, int64_t depth);

}  // namespace opgraft::cpu

#endif  // OPGRAFT_BACKENDS_CPU_DRIVERS_H_
