// Services of the CPU back end for operators: fp32 GEMM, convolution, pooling and row mathematics as versioned C
// tables.
//
// Get a table with `host->service_get(OG_CPU_GEMM, 1)` and cast it; NULL means that nobody provides it (then `supports`
// is false). Rules common to all tables:
//  - Every struct begins with its size; fill it with the *_init function of this file, then set what you need.
//    Functions beyond a table's size do not exist.
//  - Nothing allocates: a run function takes scratch of the size its *_scratch_bytes function gives for the same
//    descriptor and for at least as many threads (0 = scratch may be NULL). Scratch is 64-byte aligned, needs no
//    initialisation and belongs to one call at a time. Packed weights go to a 64-byte aligned buffer of *_packed_bytes;
//    they are read-only afterwards, may be shared by any number of threads, and are valid only for this process (their
//    form depends on the instruction set in use).
//  - Every function may be called from many threads at once. `parallel` NULL = run on the calling thread. A call
//    made inside a parallel_for body must pass NULL.
//  - Tensors are compact row-major float32 unless a leading dimension or stride says otherwise; they need no alignment.
//    Outputs must not overlap inputs unless said otherwise. A size of 0 is allowed everywhere.
//  - Results: 0 = done, non-zero = the descriptor is not valid or not supported (nothing was written).
//  - NaN propagates; error is within 1e-5 of the largest |y| for reductions, a few units in the last place otherwise.
#ifndef OPGRAFT_SERVICES_H_
#define OPGRAFT_SERVICES_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "opgraft/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OG_CPU_GEMM "opgraft.cpu.gemm"  // og_cpu_gemm, version 1
#define OG_CPU_CONV "opgraft.cpu.conv"  // og_cpu_conv, version 1
#define OG_CPU_POOL "opgraft.cpu.pool"  // og_cpu_pool, version 1
#define OG_CPU_MATH "opgraft.cpu.math"  // og_cpu_math, version 1

// ---- Epilogue: what happens to each sum before it is stored ----

typedef enum og_activation {
  OG_ACT_NONE = 0,
  OG_ACT_RELU = 1,
  OG_ACT_CLIP = 2,  // a = low, b = high
  OG_ACT_SIGMOID = 3,
  OG_ACT_SILU = 4,          // x * sigmoid(x)
  OG_ACT_HARD_SWISH = 5,    // x * clip(x / 6 + 0.5, 0, 1)
  OG_ACT_HARD_SIGMOID = 6,  // clip(a * x + b, 0, 1)
  OG_ACT_TANH = 7,
  OG_ACT_GELU_ERF = 8,
  OG_ACT_GELU_TANH = 9,
  OG_ACT_LEAKY_RELU = 10  // x < 0 ? a * x : x
} og_activation;

// y = activation(sum + bias_n[n] + bias_m[m] + beta * residual[m, n]), or, with residual_last,
// y = activation(sum + bias_n[n] + bias_m[m]) + beta * residual[m, n].
typedef struct og_epilogue {
  uint32_t size;
  int32_t activation;
  float a;  // parameters of the activation
  float b;
  const float* bias_n;      // one value per column of C, or NULL
  const float* bias_m;      // one value per row of C (convolution: per output channel), or NULL
  const float* residual;    // NULL = none; GEMM: may be C itself (then C's old contents are the residual)
  int64_t residual_ld;      // GEMM: elements between rows (0 = one row for all). Convolution: ignored, shaped like y.
  int64_t residual_stride;  // GEMM: elements between the residuals of two batch entries (0 = the same for all)
  float beta;
  int32_t residual_last;
} og_epilogue;

static inline og_epilogue og_epilogue_init(void) {
  og_epilogue e;
  memset(&e, 0, sizeof e);
  e.size = (uint32_t)sizeof e;
  e.beta = 1.0f;
  return e;
}

// ---- GEMM: C[m, n] = epilogue(alpha * sum_k A[m, k] * B[k, n]) ----

enum {
  OG_GEMM_TRANS_A = 1,   // A is stored as [k, m]
  OG_GEMM_TRANS_B = 2,   // B is stored as [n, k]
  OG_GEMM_PACKED_A = 4,  // `a` points to what pack_a wrote
  OG_GEMM_PACKED_B = 8   // `b` points to what pack_b wrote
};

typedef struct og_gemm {
  uint32_t size;
  uint32_t flags;
  int64_t m, n, k;
  int64_t lda, ldb, ldc;  // elements between two rows as stored; 0 = compact
  int64_t batch;          // number of products
  // Elements between two batch entries; 0 = the same matrix for all. Ignored for a matrix given as offsets.
  int64_t stride_a, stride_b, stride_c;
  // `batch` element offsets each, or NULL (for batches that broadcast over several axes). Not with a packed matrix.
  const int64_t* offsets_a;
  const int64_t* offsets_b;
  const int64_t* offsets_c;
  float alpha;
  uint32_t pad;
} og_gemm;

static inline og_gemm og_gemm_init(int64_t m, int64_t n, int64_t k) {
  og_gemm g;
  memset(&g, 0, sizeof g);
  g.size = (uint32_t)sizeof g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.batch = 1;
  g.alpha = 1.0f;
  return g;
}

typedef struct og_cpu_gemm {
  uint32_t size;
  int32_t level;  // 0 scalar, 1 AVX2, 2 AVX-512
  // A packed matrix holds all batch entries, or one when its stride is 0. The packed form depends on k and n (for B) or
  // k and m (for A) only, so B packed with one m serves every other m. Packing ignores the PACKED flags.
  uint64_t (*packed_a_bytes)(const og_gemm* gemm);
  uint64_t (*packed_b_bytes)(const og_gemm* gemm);
  int32_t (*pack_a)(const og_gemm* gemm, const float* a, void* packed);
  int32_t (*pack_b)(const og_gemm* gemm, const float* b, void* packed);
  uint64_t (*scratch_bytes)(const og_gemm* gemm, int32_t threads);
  // k == 0 gives epilogue(0). `epilogue` NULL = none. m == 1 with an unpacked B reads B once, at memory speed.
  int32_t (*run)(const og_gemm* gemm, const void* a, const void* b, float* c, const og_epilogue* epilogue,
                 void* scratch, const og_parallel* parallel);
} og_cpu_gemm;

// ---- Convolution, NC[D][H]W ----

typedef struct og_conv {
  uint32_t size;
  int32_t spatial;  // 1, 2 or 3 spatial dims; the first `spatial` entries of the arrays below are used
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[3], out[3];  // spatial sizes; `out` decides what is computed, so the end padding follows from it
  int64_t kernel[3], stride[3], dilation[3], pad_begin[3];
} og_conv;

static inline og_conv og_conv_init(int32_t spatial) {
  og_conv c;
  int i;
  memset(&c, 0, sizeof c);
  c.size = (uint32_t)sizeof c;
  c.spatial = spatial;
  c.batch = c.groups = 1;
  for (i = 0; i < 3; ++i) c.in[i] = c.out[i] = c.kernel[i] = c.stride[i] = c.dilation[i] = 1;
  return c;
}

typedef struct og_cpu_conv {
  uint32_t size;
  int32_t level;
  // Weights [out_channels, in_channels / groups, kernel...]. Packing reads channels, groups, kernel, stride and
  // dilation only: `in`, `out`, `pad_begin` and `batch` may change between pack and run.
  uint64_t (*packed_bytes)(const og_conv* conv);
  int32_t (*pack)(const og_conv* conv, const float* weights, void* packed);
  uint64_t (*scratch_bytes)(const og_conv* conv, int32_t threads);
  // x [batch, in_channels, in...], y and residual [batch, out_channels, out...]; bias_m per output channel; no bias_n.
  int32_t (*run)(const og_conv* conv, const float* x, const void* packed, float* y, const og_epilogue* epilogue,
                 void* scratch, const og_parallel* parallel);
  // Transposed convolution: x [batch, in_channels, in...] is spread to y [batch, out_channels, out...];
  // weights [in_channels, out_channels / groups, kernel...]. y[i * stride + k * dilation - pad_begin] += w[k] * x[i].
  uint64_t (*transposed_packed_bytes)(const og_conv* conv);
  int32_t (*transposed_pack)(const og_conv* conv, const float* weights, void* packed);
  uint64_t (*transposed_scratch_bytes)(const og_conv* conv, int32_t threads);
  int32_t (*transposed_run)(const og_conv* conv, const float* x, const void* packed, float* y,
                            const og_epilogue* epilogue, void* scratch, const og_parallel* parallel);
} og_cpu_conv;

// ---- Pooling, NC[D][H]W ----

enum { OG_POOL_MAX = 0, OG_POOL_AVERAGE = 1 };

typedef struct og_pool {
  uint32_t size;
  int32_t kind;               // OG_POOL_*
  int32_t spatial;            // 1, 2 or 3
  int32_t count_include_pad;  // average: divide by the window clipped to the padded input instead of to the input
  int64_t planes;             // batch * channels
  int64_t in[3], out[3];
  int64_t kernel[3], stride[3], dilation[3], pad_begin[3], pad_end[3];
} og_pool;

static inline og_pool og_pool_init(int32_t kind, int32_t spatial) {
  og_pool p;
  int i;
  memset(&p, 0, sizeof p);
  p.size = (uint32_t)sizeof p;
  p.kind = kind;
  p.spatial = spatial;
  for (i = 0; i < 3; ++i) p.in[i] = p.out[i] = p.kernel[i] = p.stride[i] = p.dilation[i] = 1;
  return p;
}

typedef struct og_cpu_pool {
  uint32_t size;
  int32_t level;
  uint64_t (*scratch_bytes)(const og_pool* pool, int32_t threads);
  // x [planes, in...], y [planes, out...]. A window without an input element gives -inf (max) or 0 (average).
  int32_t (*run)(const og_pool* pool, const float* x, float* y, void* scratch, const og_parallel* parallel);
  // One value per plane of `count` elements; kind as above. No scratch.
  int32_t (*global)(int32_t kind, int64_t planes, int64_t count, const float* x, float* y, const og_parallel* parallel);
} og_cpu_pool;

// ---- Mathematics over contiguous floats; single-threaded, in place allowed (y == x), no scratch ----

typedef void (*og_unary_row_fn)(const float* x, float* y, int64_t n);

typedef struct og_cpu_math {
  uint32_t size;
  int32_t level;
  og_unary_row_fn exp, log, tanh, sigmoid, erf, relu, silu, gelu_erf, gelu_tanh, hard_swish;
  // y = activation(x) for any og_activation.
  void (*activate)(int32_t activation, float a, float b, const float* x, float* y, int64_t n);
  // y = exp(x - max) / sum(exp(x - max)); log_softmax is its logarithm.
  og_unary_row_fn softmax, log_softmax;
  // y = (x - mean) / sqrt(variance + epsilon) * scale + bias; scale and bias of n values or NULL. `mean` and `inv_std`
  // receive one value each unless NULL.
  void (*layer_norm)(const float* x, const float* scale, const float* bias, float epsilon, float* y, int64_t n,
                     float* mean, float* inv_std);
  float (*sum)(const float* x, int64_t n);  // 0 for n == 0
  float (*max)(const float* x, int64_t n);  // -inf for n == 0; NaN if any is NaN
  float (*min)(const float* x, int64_t n);  // +inf for n == 0; NaN if any is NaN
  float (*sum_of_squares)(const float* x, int64_t n);
  float (*dot)(const float* x, const float* y, int64_t n);
  // Gates of one LSTM step for one batch row: pre-activations in the order i, o, f, c, `hidden` values each,
  // sigmoid for i, o, f and tanh for c and h. peephole: [3 * hidden] in the order i, o, f, or NULL. cell is updated in
  // place. clip <= 0: none.
  void (*lstm_cell)(const float* gates, const float* peephole, float clip, float* cell, float* h, int64_t hidden);
} og_cpu_math;

#ifdef __cplusplus
}
#endif
#endif  // OPGRAFT_SERVICES_H_
