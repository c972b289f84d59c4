// The GEMM service: packs what is not packed, splits C into blocks for the threads, and runs register tiles over them.
#include <cstring>

#include "backends/cpu/drivers.h"
#include "backends/cpu/kernels.h"

namespace opgraft::cpu {
namespace {

constexpr int64_t kCacheFloats = 56 * 1024;  // of A in the second-level cache

// A GEMM descriptor with its defaults filled in.
struct Problem {
  int64_t m, n, k, batch;
  int64_t a_row, a_column, b_row, b_column, c_row;
  int64_t a_stride, b_stride, c_stride, residual_stride;
  const int64_t *a_offsets, *b_offsets, *c_offsets;
  bool a_packed, b_packed;
  float alpha;
};

bool read_problem(const og_gemm* g, Problem* p) {
  if (g == nullptr || g->size < sizeof(og_gemm) || g->m < 0 || g->n < 0 || g->k < 0 || g->batch < 0) return false;
  const bool trans_a = (g->flags & OG_GEMM_TRANS_A) != 0;
  const bool trans_b = (g->flags & OG_GEMM_TRANS_B) != 0;
  const int64_t lda = g->lda != 0 ? g->lda : trans_a ? g->m : g->k;
  const int64_t ldb = g->ldb != 0 ? g->ldb : trans_b ? g->k : g->n;
  *p = Problem{};
  p->m = g->m;
  p->n = g->n;
  p->k = g->k;
  p->batch = g->batch;
  p->a_row = trans_a ? 1 : lda;
  p->a_column = trans_a ? lda : 1;
  p->b_row = trans_b ? 1 : ldb;
  p->b_column = trans_b ? ldb : 1;
  p->c_row = g->ldc != 0 ? g->ldc : g->n;
  p->a_stride = g->stride_a;
  p->b_stride = g->stride_b;
  p->c_stride = g->stride_c;
  p->a_offsets = g->offsets_a;
  p->b_offsets = g->offsets_b;
  p->c_offsets = g->offsets_c;
  p->a_packed = (g->flags & OG_GEMM_PACKED_A) != 0;
  p->b_packed = (g->flags & OG_GEMM_PACKED_B) != 0;
  p->alpha = g->alpha;
  return !(p->a_packed && p->a_offsets) && !(p->b_packed && p->b_offsets);
}

// A batch that shares B and has its rows of A and C in one sequence is one larger product.
void join_batch(Problem* p, const EpilogueForm& form) {
  if (p->batch <= 1 || p->a_packed || p->a_offsets || p->b_offsets || p->c_offsets || p->b_stride != 0) return;
  if (p->a_column != 1 || p->a_stride != p->m * p->a_row || p->c_stride != p->m * p->c_row || form.bias_m) return;
  if (form.residual &&
      (form.residual_row == 0 ? form.residual_stride != 0 : form.residual_stride != p->m * form.residual_row))
    return;
  p->m *= p->batch;
  p->batch = 1;
}

int64_t packed_a_floats(const TileKernels& t, const Problem& p) { return round_up(p.m, t.rows) * p.k; }
int64_t packed_b_floats(const TileKernels& t, const Problem& p) { return round_up(p.n, t.columns) * p.k; }

struct Plan {
  bool row_vector = false;     // m == 1, B as it is
  bool column_vector = false;  // n == 1, A as it is
  bool pack_a = false;
  bool pack_b = false;
  bool pack_b_tail = false;  // B as it is, but for its last panel
  bool batch_parallel = false;
  int64_t a_floats = 0;
  int64_t entry_floats = 0;  // scratch of one batch entry
};

Plan make_plan(const TileKernels& t, const Problem& p, int32_t threads) {
  Plan plan;
  plan.batch_parallel = p.batch > 1 && p.batch >= threads;
  plan.row_vector = p.m == 1 && !p.b_packed && !p.a_packed;
  plan.column_vector = !plan.row_vector && p.n == 1 && !p.b_packed && !p.a_packed && p.a_column * p.a_row != 0 &&
                       (p.a_column == 1 || p.a_row == 1);
  if (plan.row_vector || plan.column_vector) {
    plan.a_floats = padded_floats(p.k);  // the vector, when it is not contiguous
    plan.entry_floats = plan.a_floats + padded_floats(larger(p.m, p.n));
    return plan;
  }
  plan.pack_a = !p.a_packed && p.m > t.rows && p.n > t.columns;
  if (!p.b_packed) {
    plan.pack_b = p.b_column != 1 || p.m > 2 * t.rows;
    plan.pack_b_tail = !plan.pack_b && p.n % t.columns != 0;
  }
  if (plan.pack_a) plan.a_floats = padded_floats(packed_a_floats(t, p));
  plan.entry_floats = plan.a_floats;
  if (plan.pack_b) plan.entry_floats += padded_floats(packed_b_floats(t, p));
  if (plan.pack_b_tail) plan.entry_floats += padded_floats(t.columns * p.k);
  return plan;
}

// rows x depth of A into panels of tile rows.
void pack_a_panels(int level, const Problem& p, const float* a, float* dst, const og_parallel* parallel) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const int64_t panels = divide_up(p.m, t.rows);
  for_range(parallel, panels, larger(1, 16384 / larger(1, t.rows * p.k)), [&](int64_t begin, int64_t end, int32_t) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t width = smaller(t.rows, p.m - i * t.rows);
      float* panel = dst + i * t.rows * p.k;
      if (p.a_row == 1)
        pack.panel_from_rows(a + i * t.rows, p.a_column, p.k, width, panel, t.rows);
      else
        pack.panel_from_columns(a + i * t.rows * p.a_row, p.a_row, p.k, width, panel, t.rows);
    }
  });
}

void pack_b_panels(int level, const Problem& p, const float* b, float* dst, const og_parallel* parallel) {
  const TileKernels& t = tile_kernels(level);
  const PackKernels& pack = pack_kernels(level);
  const int64_t panels = divide_up(p.n, t.columns);
  constexpr int64_t kRows = 64;  // rows of B read for all panels of a part before the next ones
  for_range(parallel, panels, larger(1, 16384 / larger(1, t.columns * p.k)), [&](int64_t begin, int64_t end, int32_t) {
    if (p.b_column == 1) {
      for (int64_t k = 0; k < p.k; k += kRows)
        for (int64_t j = begin; j < end; ++j)
          pack.panel_from_rows(b + k * p.b_row + j * t.columns, p.b_row, smaller(kRows, p.k - k),
                               smaller(t.columns, p.n - j * t.columns), dst + (j * p.k + k) * t.columns, t.columns);
      return;
    }
    for (int64_t j = begin; j < end; ++j)
      pack.panel_from_columns(b + j * t.columns * p.b_column, p.b_column, p.k, smaller(t.columns, p.n - j * t.columns),
                              dst + j * t.columns * p.k, t.columns);
  });
}

struct Entry {
  const float* a;
  const float* b;
  float* c;
  const float* residual;
};

// The epilogue for n sums of one row or column; y is written with a step.
void finish_vector(const EpilogueForm& form, const og_cpu_math& math, float* sums, int64_t n, const float* bias,
                   float other_bias, const float* residual, int64_t residual_step, float* y, int64_t y_step) {
  const Finish& finish = form.finish;
  for (int64_t j = 0; j < n; ++j) sums[j] = finish.alpha * sums[j] + ((bias ? bias[j] : 0.0f) + other_bias);
  if (residual && !finish.residual_last)
    for (int64_t j = 0; j < n; ++j) sums[j] += finish.beta * residual[j * residual_step];
  if (form.activation != OG_ACT_NONE) math.activate(form.activation, form.a, form.b, sums, sums, n);
  if (residual && finish.residual_last)
    for (int64_t j = 0; j < n; ++j) sums[j] += finish.beta * residual[j * residual_step];
  if (y_step == 1)
    std::memcpy(y, sums, static_cast<size_t>(n) * sizeof(float));
  else
    for (int64_t j = 0; j < n; ++j) y[j * y_step] = sums[j];
}

const float* contiguous(const float* x, int64_t step, int64_t n, float* copy) {
  if (step == 1) return x;
  for (int64_t i = 0; i < n; ++i) copy[i] = x[i * step];
  return copy;
}

void run_vector(int level, const Problem& p, const Plan& plan, const EpilogueForm& form, const Entry& e, float* scratch,
                const og_parallel* parallel) {
  const VectorKernels& kernels = vector_kernels(level);
  const og_cpu_math& math = math_table(level);
  float* sums = scratch + plan.a_floats;
  const bool row = plan.row_vector;
  const float* x = row ? contiguous(e.a, p.a_column, p.k, scratch) : contiguous(e.b, p.b_row, p.k, scratch);
  const float* matrix = row ? e.b : e.a;
  const int64_t n = row ? p.n : p.m;
  // Elements of the matrix that one step along the sum, or along the result, moves.
  const int64_t along_sum = row ? p.b_row : p.a_column;
  const int64_t along_result = row ? p.b_column : p.a_row;
  const float* bias = row ? form.bias_n : form.bias_m;
  const float* other = row ? form.bias_m : form.bias_n;
  const int64_t residual_step = row ? 1 : form.residual_row;
  const int64_t y_step = row ? 1 : p.c_row;
  const int64_t blocks = divide_up(n, 64);
  for_range(parallel, blocks, larger(1, 512 / larger(1, p.k)), [&](int64_t begin, int64_t end, int32_t) {
    const int64_t first = begin * 64;
    const int64_t count = smaller(end * 64, n) - first;
    if (along_result == 1)
      kernels.vector_times_rows(x, matrix + first, along_sum, p.k, count, sums + first);
    else
      kernels.vector_times_columns(x, matrix + first * along_result, along_result, p.k, count, sums + first, 1);
    finish_vector(form, math, sums + first, count, bias ? bias + first : nullptr, other ? other[0] : 0.0f,
                  e.residual ? e.residual + first * residual_step : nullptr, residual_step, e.c + first * y_step,
                  y_step);
  });
}

// Sizes of the blocks of C that are one task.
struct Split {
  int64_t rows, columns;
};

Split choose_split(const TileKernels& t, const Problem& p, int64_t depth, int32_t threads) {
  Split s;
  const int64_t row_panels = divide_up(p.m, t.rows);
  const int64_t most_panels = larger(1, kCacheFloats / larger(1, depth * t.rows));
  int64_t row_blocks = divide_up(row_panels, most_panels);
  s.rows = divide_up(row_panels, row_blocks) * t.rows;
  s.columns = smaller(round_up(p.n, t.columns), 16 * t.columns);
  if (threads > 1) {
    while (divide_up(p.m, s.rows) * divide_up(p.n, s.columns) < 3 * threads) {
      if (s.columns > 2 * t.columns)
        s.columns = round_up(s.columns / 2, t.columns);
      else if (s.rows > 4 * t.rows)
        s.rows = round_up(s.rows / 2, t.rows);
      else
        break;
    }
  }
  return s;
}

void run_tiles(int level, const Problem& p, const Plan& plan, const EpilogueForm& form, const Entry& e, float* scratch,
               const og_parallel* parallel) {
  const TileKernels& t = tile_kernels(level);
  const float* a = e.a;
  const float* b = e.b;
  const float* tail = nullptr;
  if (plan.pack_a) {
    pack_a_panels(level, p, e.a, scratch, parallel);
    a = scratch;
  }
  float* b_scratch = scratch + plan.a_floats;
  if (plan.pack_b) {
    pack_b_panels(level, p, e.b, b_scratch, parallel);
    b = b_scratch;
  }
  const int64_t full = plan.pack_b_tail ? p.n / t.columns * t.columns : p.n;
  if (plan.pack_b_tail) {
    pack_kernels(level).panel_from_rows(e.b + full, p.b_row, p.k, p.n - full, b_scratch, t.columns);
    tail = b_scratch;
  }
  const bool a_panels = plan.pack_a || p.a_packed;
  const bool b_panels = plan.pack_b || p.b_packed;
  // Sums kept in C between blocks of depth would destroy a residual that is C, and a single row of tiles needs no
  // blocks.
  const bool whole = e.residual == e.c || p.m <= t.rows;
  const int64_t depth = whole ? larger(1, p.k) : block_depth(t, p.k);
  const Split split = choose_split(t, p, smaller(depth, 512), thread_count(parallel));
  const int64_t row_blocks = divide_up(p.m, split.rows);
  const int64_t column_blocks = divide_up(p.n, split.columns);

  for_range(parallel, row_blocks * column_blocks, 1, [&](int64_t begin, int64_t end, int32_t) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task % row_blocks * split.rows;
      const int64_t j = task / row_blocks * split.columns;
      Block block{};
      block.rows = smaller(split.rows, p.m - i);
      block.a_packed = a_panels;
      block.a_panel = t.rows * p.k;
      block.a_row = p.a_row;
      block.a_column = p.a_column;
      block.c_row = p.c_row;
      block.bias_m = form.bias_m ? form.bias_m + i : nullptr;
      block.residual_row = form.residual_row;
      const int64_t last = smaller(j + split.columns, p.n);
      int64_t k = 0;
      do {
        block.depth = smaller(depth, p.k - k);
        block.a = a_panels ? a + i * p.k + k * t.rows : a + i * p.a_row + k * p.a_column;
        block.accumulate = k > 0;
        block.finish = k + block.depth == p.k ? &form.finish : nullptr;
        for (int part = 0; part < 2; ++part) {
          const int64_t from = part == 0 ? j : larger(j, full);
          const int64_t to = part == 0 ? smaller(last, full) : last;
          if (from >= to) continue;
          block.columns = to - from;
          block.c = e.c + i * p.c_row + from;
          block.bias_n = form.bias_n ? form.bias_n + from : nullptr;
          block.residual = form.in_tiles(e.residual ? e.residual + i * form.residual_row + from : nullptr);
          block.b_panel = b_panels ? t.columns * p.k : t.columns;
          block.b_row = b_panels ? t.columns : p.b_row;
          block.b = b_panels ? b + from * p.k + k * t.columns : b + k * p.b_row + from;
          if (part == 1) {
            block.b = tail + k * t.columns;
            block.b_row = t.columns;
          }
          multiply_block(t, block);
        }
        k += block.depth;
      } while (k < p.k);
      if (form.second_pass)
        second_pass(form, math_table(level), e.c + i * p.c_row + j, p.c_row, block.rows, last - j,
                    e.residual ? e.residual + i * form.residual_row + j : nullptr);
    }
  });
}

int32_t run_gemm(int level, const og_gemm* gemm, const void* a, const void* b, float* c, const og_epilogue* epilogue,
                 void* scratch, const og_parallel* parallel) {
  Problem p;
  if (!read_problem(gemm, &p)) return 1;
  const EpilogueForm form = epilogue_form(epilogue, p.alpha);
  if (form.second_pass && form.finish.residual_last && form.residual == c && c != nullptr) return 1;
  if (p.m == 0 || p.n == 0 || p.batch == 0) return 0;
  join_batch(&p, form);
  const TileKernels& t = tile_kernels(level);
  const Plan plan = make_plan(t, p, thread_count(parallel));
  const int64_t a_stride = p.a_packed && p.a_stride != 0 ? packed_a_floats(t, p) : p.a_stride;
  const int64_t b_stride = p.b_packed && p.b_stride != 0 ? packed_b_floats(t, p) : p.b_stride;
  const auto run_entry = [&](int64_t i, float* entry_scratch, const og_parallel* entry_parallel) {
    Entry e;
    e.a = static_cast<const float*>(a) + (p.a_offsets ? p.a_offsets[i] : i * a_stride);
    e.b = static_cast<const float*>(b) + (p.b_offsets ? p.b_offsets[i] : i * b_stride);
    e.c = c + (p.c_offsets ? p.c_offsets[i] : i * p.c_stride);
    e.residual = form.residual ? form.residual + i * form.residual_stride : nullptr;
    if (plan.row_vector || plan.column_vector)
      run_vector(level, p, plan, form, e, entry_scratch, entry_parallel);
    else
      run_tiles(level, p, plan, form, e, entry_scratch, entry_parallel);
  };
  float* floats = static_cast<float*>(scratch);
  if (plan.batch_parallel) {
    const int64_t work = larger(1, p.m * p.n * larger(1, p.k));
    for_range(parallel, p.batch, larger(1, 65536 / work), [&](int64_t begin, int64_t end, int32_t worker) {
      for (int64_t i = begin; i < end; ++i) run_entry(i, floats + worker * plan.entry_floats, nullptr);
    });
  } else {
    for (int64_t i = 0; i < p.batch; ++i) run_entry(i, floats, parallel);
  }
  return 0;
}

int64_t packed_entries(int64_t batch, int64_t stride) { return stride == 0 ? smaller(batch, 1) : batch; }

template <int kLevel>
constexpr og_cpu_gemm make_table() {
  og_cpu_gemm table{};
  table.size = sizeof table;
  table.level = kLevel;
  table.packed_a_bytes = [](const og_gemm* g) -> uint64_t {
    Problem p;
    if (!read_problem(g, &p)) return 0;
    const int64_t floats = packed_a_floats(tile_kernels(kLevel), p) * packed_entries(p.batch, p.a_stride);
    return static_cast<uint64_t>(padded_floats(floats)) * sizeof(float);
  };
  table.packed_b_bytes = [](const og_gemm* g) -> uint64_t {
    Problem p;
    if (!read_problem(g, &p)) return 0;
    const int64_t floats = packed_b_floats(tile_kernels(kLevel), p) * packed_entries(p.batch, p.b_stride);
    return static_cast<uint64_t>(padded_floats(floats)) * sizeof(float);
  };
  table.pack_a = [](const og_gemm* g, const float* a, void* packed) -> int32_t {
    Problem p;
    if (!read_problem(g, &p) || p.a_offsets) return 1;
    const int64_t floats = packed_a_floats(tile_kernels(kLevel), p);
    for (int64_t i = 0; i < packed_entries(p.batch, p.a_stride); ++i)
      pack_a_panels(kLevel, p, a + i * p.a_stride, static_cast<float*>(packed) + i * floats, nullptr);
    return 0;
  };
  table.pack_b = [](const og_gemm* g, const float* b, void* packed) -> int32_t {
    Problem p;
    if (!read_problem(g, &p) || p.b_offsets) return 1;
    const int64_t floats = packed_b_floats(tile_kernels(kLevel), p);
    for (int64_t i = 0; i < packed_entries(p.batch, p.b_stride); ++i)
      pack_b_panels(kLevel, p, b + i * p.b_stride, static_cast<float*>(packed) + i * floats, nullptr);
    return 0;
  };
  table.scratch_bytes = [](const og_gemm* g, int32_t threads) -> uint64_t {
    Problem p;
    if (!read_problem(g, &p)) return 0;
    // Whether `run` joins the batch depends on its epilogue too, so both ways must fit.
    int64_t most = 0;
    for (int joined = 0; joined < 2; ++joined) {
      if (joined) join_batch(&p, EpilogueForm());
      most = larger(most, most_for_threads(threads, [&](int32_t n) {
                      const Plan plan = make_plan(tile_kernels(kLevel), p, n);
                      return plan.entry_floats * (plan.batch_parallel ? smaller(p.batch, n) : 1);
                    }));
    }
    return static_cast<uint64_t>(most) * sizeof(float);
  };
  table.run = [](const og_gemm* g, const void* a, const void* b, float* c, const og_epilogue* epilogue, void* scratch,
                 const og_parallel* parallel) -> int32_t {
    return run_gemm(kLevel, g, a, b, c, epilogue, scratch, parallel);
  };
  return table;
}

}  // namespace

const og_cpu_gemm& gemm_table(int level) {
  static constexpr og_cpu_gemm kTables[] = {make_table<0>(), make_table<1>(), make_table<2>()};
  return kTables[level];
}

}  // namespace opgraft::cpu
