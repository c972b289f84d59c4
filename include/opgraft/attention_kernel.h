// Attention on the CPU: blocks of queries against panels of keys; the scores of one block at a time are held.
#ifndef OPGRAFT_ATTENTION_KERNEL_H_
#define OPGRAFT_ATTENTION_KERNEL_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "opgraft/attention.h"
#include "opgraft/op.h"
#include "opgraft/services.h"
#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {
namespace attention {

inline constexpr int64_t kPanel = 256;     // keys of one packed panel; panels that no query of a block sees are skipped
inline constexpr int64_t kFewRows = 8;     // up to here packing costs more than reading keys and values again
inline constexpr int64_t kBlockRows = 96;  // queries of one task
inline constexpr int64_t kBlockScores = 1 << 18;
inline constexpr uint64_t kWaveBytes = uint64_t(64) << 20;

inline AttentionSizes sizes_of(const Prepare& p) {
  AttentionSizes s;
  const Dims q = p.dims(kQ), k = p.dims(kK), v = p.dims(kV);
  s.flat = q.size() == 3;
  s.q_heads = s.flat ? p.get("q_num_heads", int64_t(1)) : q[1];
  s.kv_heads = s.flat ? p.get("kv_num_heads", int64_t(1)) : k[1];
  s.batch = q[0];
  s.q_length = q[q.size() - 2], s.kv_length = k[k.size() - 2];
  s.width = s.flat ? q[2] / s.q_heads : q[3];
  s.value_width = s.flat ? v[2] / s.kv_heads : v[3];
  if (p.has(kPastKey)) s.past = p.dims(kPastKey)[2];
  s.total = s.past + s.kv_length;
  return s;
}

// Keys or values, row by row.
template <class T>
struct Rows {
  const T* data = nullptr;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
  const T* at(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
};

template <class T>
Rows<T> rows_of(const T* data, bool flat, int64_t heads, int64_t length, int64_t width) {
  if (flat) return {data, length * heads * width, width, heads * width};
  return {data, heads * length * width, length * width, width};
}

// attn_mask with strides to broadcast by; either booleans or numbers to add.
template <class T>
struct Mask {
  const bool* allowed = nullptr;
  const T* added = nullptr;
  int64_t batch = 0, head = 0, row = 0, columns = std::numeric_limits<int64_t>::max();

  void describe(const Dims& dims) {
    const size_t rank = dims.size();
    columns = dims[rank - 1];
    int64_t step = columns;
    int64_t* const strides[] = {&row, &head, &batch};
    for (size_t i = 0; i + 1 < rank; ++i) {
      const int64_t size = dims[rank - 2 - i];
      *strides[i] = size == 1 ? 0 : step;
      step *= size;
    }
  }
};

// Softmax of one row in place, computed in type W.
template <class W, class T>
void softmax_row(T* x, int64_t n) {
  W largest = -std::numeric_limits<W>::infinity(), sum = 0;
  for (int64_t i = 0; i < n; ++i) largest = static_cast<W>(x[i]) > largest ? static_cast<W>(x[i]) : largest;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<W>(x[i]) - largest);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<T>(std::exp(static_cast<W>(x[i]) - largest) / sum);
}

template <class T>
struct Kernel {
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  const og_cpu_gemm* gemm = nullptr;
  const og_cpu_math* math = nullptr;

  struct Plan {
    AttentionSizes s;
    AttentionWindow window;
    T scale = 1, cap = 0;
    int64_t mode = kRaw;
    bool wide_softmax = false;
    bool works = false;         // there is anything to compute beyond the presents
    bool whole_scores = false;  // the scores are an output
    bool packed = false;
    bool by_entry = false;  // one task packs keys and values of an entry and does all of its blocks
    int64_t block = 1, blocks = 0, panels = 0, wave = 1;
    int64_t score_stride = 0;
    uint64_t key_panel_bytes = 0, value_panel_bytes = 0, product_bytes = 0;
    bool key_in_scratch = false, value_in_scratch = false, mask_in_scratch = false;
    int64_t mask_count = 0;
  };

  // The scratch buffer in parts.
  struct Parts {
    T *key, *value, *mask;
    char *key_panels, *value_panels;  // of a wave
    char* workers;
    uint64_t worker_bytes = 0, bytes = 0;
  };
  struct Worker {
    T *q, *scores, *y;
    void* product;
  };

  void pack(Pack&) {
    gemm = service<og_cpu_gemm>(OG_CPU_GEMM);
    math = service<og_cpu_math>(OG_CPU_MATH);
  }
  static bool supports(Prepare&) {
    return !kIsFloat || (service<og_cpu_gemm>(OG_CPU_GEMM) && service<og_cpu_math>(OG_CPU_MATH));
  }

  static uint64_t padded(int64_t count) { return (static_cast<uint64_t>(count) * sizeof(T) + 63) / 64 * 64; }

  static Worker worker_of(const Plan& plan, char* memory, uint64_t* bytes) {
    Worker w;
    uint64_t at = 0;
    w.q = reinterpret_cast<T*>(memory);
    at += padded(plan.block * plan.s.width);
    w.scores = reinterpret_cast<T*>(memory + at);
    at += padded(plan.block * plan.score_stride);
    w.y = reinterpret_cast<T*>(memory + at);
    at += padded(plan.block * plan.s.value_width);
    w.product = memory + at;
    if (bytes) *bytes = at + (plan.product_bytes + 63) / 64 * 64;
    return w;
  }

  static Worker worker_of(const Plan& plan, const Parts& parts, int32_t worker) {
    return worker_of(plan, parts.workers + static_cast<uint64_t>(worker) * parts.worker_bytes, nullptr);
  }

  static Parts parts_of(const Plan& plan, char* memory, int threads) {
    const AttentionSizes& s = plan.s;
    Parts parts{};
    uint64_t at = 0;
    const auto take = [&](uint64_t bytes) {
      char* part = memory + at;
      at += bytes;
      return part;
    };
    const int64_t rows = s.batch * s.kv_heads * s.total;
    parts.key = reinterpret_cast<T*>(take(plan.key_in_scratch ? padded(rows * s.width) : 0));
    parts.value = reinterpret_cast<T*>(take(plan.value_in_scratch ? padded(rows * s.value_width) : 0));
    parts.mask = reinterpret_cast<T*>(take(plan.mask_in_scratch ? padded(plan.mask_count) : 0));
    const uint64_t panels = static_cast<uint64_t>(plan.wave * plan.panels);
    parts.key_panels = take(panels * plan.key_panel_bytes);
    parts.value_panels = take(panels * plan.value_panel_bytes);
    worker_of(plan, nullptr, &parts.worker_bytes);
    parts.workers = take(plan.works ? parts.worker_bytes * static_cast<uint64_t>(std::max(1, threads)) : 0);
    parts.bytes = at;
    return parts;
  }

  // Sizes of products; leading dimensions are set where they run.
  og_gemm key_product(const Plan& plan, int64_t rows, int64_t keys) const {
    og_gemm g = og_gemm_init(rows, keys, plan.s.width);
    g.flags = OG_GEMM_TRANS_B;
    g.alpha = static_cast<float>(plan.scale);
    g.ldc = plan.score_stride;
    return g;
  }
  og_gemm value_product(const Plan& plan, int64_t rows, int64_t keys) const {
    og_gemm g = og_gemm_init(rows, plan.s.value_width, keys);
    g.lda = plan.score_stride;
    return g;
  }

  Plan prepare(Prepare& p) const {
    Plan plan{sizes_of(p), AttentionWindow(p)};
    AttentionSizes& s = plan.s;
    plan.scale = static_cast<T>(p.has_attr("scale") ? static_cast<double>(p.get("scale", 1.0f))
                                : s.width > 0       ? 1 / std::sqrt(static_cast<double>(s.width))
                                                    : 1.0);
    plan.cap = static_cast<T>(p.get("softcap", 0.0f));
    plan.mode = p.get("qk_matmul_output_mode", int64_t(kRaw));
    plan.wide_softmax = kIsFloat && p.get("softmax_precision", int64_t(f32)) == f64;
    const auto empty = [&](int output) {
      const og_value value = p.output(output);
      return value.kind == OG_ABSENT || Tensor(value).numel() == 0;
    };
    const auto used = [&](int output) { return p.output(output).kind != OG_ABSENT; };
    plan.whole_scores = !empty(kScores);
    plan.works = !empty(kY) || plan.whole_scores;
    plan.key_in_scratch = p.has(kPastKey) && !used(kPresentKey);
    plan.value_in_scratch = p.has(kPastKey) && !used(kPresentValue);
    if (p.has(kMask)) {
      const og_value mask = p.input(kMask);
      plan.mask_in_scratch = mask.dtype != boolean && mask.dtype != dtype_of<T>;
      plan.mask_count = Tensor(mask).numel();
    }
    if (plan.works) plan_work(p, &plan);
    p.scratch(parts_of(plan, nullptr, p.threads()).bytes);
    return plan;
  }

  void plan_work(Prepare& p, Plan* plan) const {
    const AttentionSizes& s = plan->s;
    const int64_t rows = s.group() * s.q_length, entries = s.batch * s.kv_heads;
    plan->score_stride = (s.total + 15) / 16 * 16 + 16;
    plan->packed = kIsFloat && rows > kFewRows;
    plan->block = std::min(rows, kIsFloat ? kBlockRows : int64_t(16));
    while (plan->block > 16 && (plan->block * plan->score_stride > kBlockScores ||
                                entries * ((rows + plan->block - 1) / plan->block) < 2 * p.threads()))
      plan->block /= 2;
    plan->blocks = (rows + plan->block - 1) / plan->block;
    plan->block = (rows + plan->blocks - 1) / plan->blocks;
    plan->panels = plan->packed ? (s.total + kPanel - 1) / kPanel : 0;
    if constexpr (kIsFloat) {
      if (plan->packed) {
        og_gemm keys = key_product(*plan, plan->block, kPanel), values = value_product(*plan, plan->block, kPanel);
        plan->key_panel_bytes = gemm->packed_b_bytes(&keys);
        plan->value_panel_bytes = gemm->packed_b_bytes(&values);
        keys.flags |= OG_GEMM_PACKED_B, values.flags |= OG_GEMM_PACKED_B;
        plan->product_bytes = std::max(gemm->scratch_bytes(&keys, 1), gemm->scratch_bytes(&values, 1));
        const uint64_t entry = static_cast<uint64_t>(plan->panels) * (plan->key_panel_bytes + plan->value_panel_bytes);
        const auto fits = static_cast<int64_t>(kWaveBytes / std::max<uint64_t>(1, entry));
        plan->by_entry = entries >= 3 * p.threads();
        plan->wave = plan->by_entry ? p.threads() : std::min(entries, std::max<int64_t>(p.threads(), fits));
      } else {
        const og_gemm keys = key_product(*plan, 1, kPanel), values = value_product(*plan, plan->block, s.total);
        plan->product_bytes = std::max(gemm->scratch_bytes(&keys, 1), gemm->scratch_bytes(&values, 1));
        plan->wave = entries;
      }
    } else {
      plan->wave = entries;
    }
  }

  void run(Run& r) const {
    const Plan& plan = r.plan<Plan>();
    const AttentionSizes& s = plan.s;
    const Parts parts = parts_of(plan, r.scratch<char>(), r.threads());
    Call call(r, plan, parts);
    call.keys = with_past(r, plan, kK, kPastKey, kPresentKey, s.width, parts.key);
    call.values = with_past(r, plan, kV, kPastValue, kPresentValue, s.value_width, parts.value);
    if (r.has(kMask)) {
      const Tensor mask = r.input(kMask);
      call.mask.describe(mask.shape());
      if (plan.mask_in_scratch) convert(mask, parts.mask);
      if (mask.dtype() == boolean)
        call.mask.allowed = mask.data<bool>();
      else
        call.mask.added = plan.mask_in_scratch ? parts.mask : mask.data<T>();
    }
    if (r.has(kNonpad)) {
      call.filled = r.input(kNonpad).integers();
      for (const int64_t filled : call.filled)
        if (filled < 0 || filled > s.total)
          fail("nonpad_kv_seqlen holds " + std::to_string(filled) + ", it must be in [0, " + std::to_string(s.total) +
               "]");
    }
    if (!plan.works) return;
    const int64_t entries = s.batch * s.kv_heads;
    if (plan.by_entry) {
      r.parallel_for(entries, 1, [&](int64_t begin, int64_t end, int32_t worker) {
        const Worker w = worker_of(plan, parts, worker);
        for (int64_t entry = begin; entry < end; ++entry) {
          for (int64_t panel = 0; panel < plan.panels; ++panel) pack_panel(call, entry, worker, panel);
          for (int64_t block = 0; block < plan.blocks; ++block) attend(call, entry, worker, block * plan.block, w);
        }
      });
      if (call.refused) fail("the GEMM service refused a product");
      return;
    }
    for (int64_t first = 0; first < entries; first += plan.wave) {
      const int64_t count = std::min(plan.wave, entries - first);
      if (plan.packed)
        r.parallel_for(count * plan.panels, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            pack_panel(call, first + i / plan.panels, i / plan.panels, i % plan.panels);
        });
      r.parallel_for(count * plan.blocks, 1, [&](int64_t begin, int64_t end, int32_t worker) {
        const Worker w = worker_of(plan, parts, worker);
        for (int64_t i = begin; i < end; ++i)
          attend(call, first + i / plan.blocks, i / plan.blocks, i % plan.blocks * plan.block, w);
      });
      if (call.refused) fail("the GEMM service refused a product");
    }
  }

  // One run.
  struct Call {
    Call(Run& run, const Plan& with, const Parts& memory) : r(run), plan(with), parts(memory) {}
    Run& r;
    const Plan& plan;
    const Parts& parts;
    Rows<T> keys, values;
    Mask<T> mask;
    std::vector<int64_t> filled;               // valid keys of each batch entry; empty = all
    mutable std::atomic<bool> refused{false};  // by the service; told afterwards, as parallel loops must not throw

    int64_t end_of(int64_t batch) const {
      const int64_t end = filled.empty() ? plan.s.total : filled[static_cast<size_t>(batch)];
      return std::min(end, mask.columns);
    }
    // Keys of row `row` of an entry: rows are the queries of all heads that share its keys.
    VisibleKeys visible(int64_t batch, int64_t row) const {
      const int64_t offset = filled.empty() ? plan.s.past : filled[static_cast<size_t>(batch)] - plan.s.q_length;
      return plan.window.visible(row % plan.s.q_length + offset, end_of(batch));
    }
  };

  // Past and new rows as one; copied to the output, or to scratch where nobody wants the output.
  static Rows<T> with_past(Run& r, const Plan& plan, int fresh, int past, int present, int64_t width, T* scratch) {
    const AttentionSizes& s = plan.s;
    const Rows<T> source = rows_of(r.in<T>(fresh), s.flat, s.kv_heads, s.kv_length, width);
    if (!r.has(past) && !r.uses_output(present)) return source;
    T* to = r.uses_output(present) ? r.out<T>(present) : scratch;
    const T* old = r.has(past) ? r.in<T>(past) : nullptr;
    const int64_t size = s.total * width;
    r.parallel_for(size > 0 ? s.batch * s.kv_heads : 0, 65536 / std::max<int64_t>(1, size) + 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t entry = begin; entry < end; ++entry) {
                       T* at = to + entry * size;
                       if (old) at = std::copy_n(old + entry * s.past * width, s.past * width, at);
                       for (int64_t i = 0; i < s.kv_length; ++i)
                         at = std::copy_n(source.at(entry / s.kv_heads, entry % s.kv_heads, i), width, at);
                     }
                   });
    return rows_of<T>(to, false, s.kv_heads, s.total, width);
  }

  // `slot`: where the panels of this entry lie. An entry is one head of keys of one batch entry.
  void pack_panel(const Call& call, int64_t entry, int64_t slot, int64_t panel) const {
    if constexpr (kIsFloat) {
      const Plan& plan = call.plan;
      const int64_t first = panel * kPanel;
      const int64_t batch = entry / plan.s.kv_heads, head = entry % plan.s.kv_heads;
      const int64_t count = std::min(kPanel, call.end_of(batch) - first);
      const uint64_t at = static_cast<uint64_t>(slot * plan.panels + panel);
      const int64_t keys = plan.whole_scores ? std::min(kPanel, plan.s.total - first) : count;
      if (keys > 0) {
        og_gemm g = key_product(plan, 1, keys);
        g.ldb = call.keys.row_stride;
        if (gemm->pack_b(&g, call.keys.at(batch, head, first), call.parts.key_panels + at * plan.key_panel_bytes) != 0)
          call.refused = true;
      }
      if (count > 0) {
        og_gemm g = value_product(plan, 1, count);
        g.ldb = call.values.row_stride;
        if (gemm->pack_b(&g, call.values.at(batch, head, first),
                         call.parts.value_panels + at * plan.value_panel_bytes) != 0)
          call.refused = true;
      }
    }
  }

  void multiply(const Call& call, const og_gemm& g, const T* a, const void* b, T* y, const og_epilogue* epilogue,
                void* scratch) const {
    if constexpr (kIsFloat)
      if (gemm->run(&g, a, b, y, epilogue, scratch, nullptr) != 0) call.refused = true;
  }

  // Rows [row, row + block) of one entry.
  void attend(const Call& call, int64_t entry, int64_t slot, int64_t row, const Worker& w) const {
    const Plan& plan = call.plan;
    const AttentionSizes& s = plan.s;
    const int64_t batch = entry / s.kv_heads, head = entry % s.kv_heads;
    const int64_t rows = std::min(plan.block, s.group() * s.q_length - row);
    const Rows<T> queries = rows_of(call.r.template in<T>(kQ), s.flat, s.q_heads, s.q_length, s.width);
    VisibleKeys seen{s.total, 0};  // by any of the rows
    for (int64_t i = 0; i < rows; ++i) {
      const VisibleKeys keys = call.visible(batch, row + i);
      if (keys.begin < keys.end) seen = {std::min(seen.begin, keys.begin), std::max(seen.end, keys.end)};
      std::copy_n(queries.at(batch, head * s.group() + (row + i) / s.q_length, (row + i) % s.q_length), s.width,
                  w.q + i * s.width);
    }
    if (seen.end <= seen.begin) seen = {0, 0};
    const VisibleKeys wanted = plan.whole_scores ? VisibleKeys{0, s.total} : seen;
    score(call, entry, slot, rows, wanted, w);
    for (int64_t i = 0; i < rows; ++i) {
      const VisibleKeys keys = call.visible(batch, row + i);
      const int64_t query = (row + i) % s.q_length, q_head = head * s.group() + (row + i) / s.q_length;
      T* out = plan.whole_scores
                   ? call.r.template out<T>(kScores) + ((batch * s.q_heads + q_head) * s.q_length + query) * s.total
                   : nullptr;
      weigh(call, batch, q_head, query, keys, wanted, w.scores + i * plan.score_stride, out);
    }
    if (!call.r.uses_output(kY)) return;
    mix(call, entry, slot, rows, seen, w);
    T* y = call.r.template out<T>(kY);
    const Rows<T> target = rows_of<T>(y, s.flat, s.q_heads, s.q_length, s.value_width);
    for (int64_t i = 0; i < rows; ++i)
      std::copy_n(w.y + i * s.value_width, s.value_width,
                  y + (target.at(batch, head * s.group() + (row + i) / s.q_length, (row + i) % s.q_length) - y));
  }

  // Scaled products of the queries with the wanted keys, and whole panels around them.
  void score(const Call& call, int64_t entry, int64_t slot, int64_t rows, const VisibleKeys& wanted,
             const Worker& w) const {
    const Plan& plan = call.plan;
    const int64_t width = plan.s.width, batch = entry / plan.s.kv_heads, head = entry % plan.s.kv_heads;
    const int64_t last = plan.whole_scores ? plan.s.total : call.end_of(batch);
    if (plan.packed) {
      for (int64_t first = wanted.begin / kPanel * kPanel; first < wanted.end; first += kPanel) {
        og_gemm g = key_product(plan, rows, std::min(kPanel, last - first));
        g.flags |= OG_GEMM_PACKED_B;
        const uint64_t at = static_cast<uint64_t>(slot * plan.panels + first / kPanel);
        multiply(call, g, w.q, call.parts.key_panels + at * plan.key_panel_bytes, w.scores + first, nullptr, w.product);
      }
      return;
    }
    for (int64_t first = wanted.begin; first < wanted.end; first += kPanel) {
      const int64_t count = std::min(kPanel, wanted.end - first);
      const T* keys = call.keys.at(batch, head, first);
      for (int64_t i = 0; i < rows; ++i) {
        const T* q = w.q + i * width;
        T* to = w.scores + i * plan.score_stride + first;
        if constexpr (kIsFloat) {
          og_gemm g = key_product(plan, 1, count);
          g.ldb = call.keys.row_stride;
          multiply(call, g, q, keys, to, nullptr, w.product);
        } else {
          vectorize([=, step = call.keys.row_stride, scale = plan.scale]() OG_SIMD {
            for (int64_t j = 0; j < count; ++j) {
              T sum = 0;
              for (int64_t d = 0; d < width; ++d) sum += q[d] * keys[j * step + d];
              to[j] = sum * scale;
            }
          });
        }
      }
    }
  }

  // Scores of one query become probabilities: zeros where a key is not seen. `out`: the row of qk_matmul_output.
  void weigh(const Call& call, int64_t batch, int64_t q_head, int64_t query, const VisibleKeys& keys,
             const VisibleKeys& wanted, T* x, T* out) const {
    const Plan& plan = call.plan;
    constexpr T kNothing = -std::numeric_limits<T>::infinity();
    const int64_t total = plan.s.total;
    if (out && plan.mode == kRaw) std::copy_n(x, total, out);
    const int64_t n = keys.end - keys.begin;
    T* seen = x + keys.begin;
    if (plan.cap > 0) {
      if (out)
        cap(x, total, plan.cap);
      else
        cap(seen, n, plan.cap);
    }
    if (out && plan.mode == kCapped) std::copy_n(x, total, out);
    bool nothing = n <= 0;
    if ((call.mask.allowed || call.mask.added) && n > 0) {
      const int64_t at = batch * call.mask.batch + q_head * call.mask.head + query * call.mask.row + keys.begin;
      if (call.mask.allowed)
        vectorize([=, allowed = call.mask.allowed + at]() OG_SIMD {
          for (int64_t i = 0; i < n; ++i) seen[i] = allowed[i] ? seen[i] : kNothing;
        });
      else
        vectorize([=, added = call.mask.added + at]() OG_SIMD {
          for (int64_t i = 0; i < n; ++i) seen[i] = added[i] == kNothing ? kNothing : seen[i] + added[i];
        });
      nothing = largest_of(seen, n) == kNothing;
    }
    if (out && plan.mode == kMasked) {
      std::fill_n(out, total, kNothing);
      std::copy_n(seen, n, out + keys.begin);
    }
    // Whole panels go into the product with the values.
    const int64_t first = wanted.begin / kPanel * kPanel,
                  last = std::min(total, (wanted.end + kPanel - 1) / kPanel * kPanel);
    if (nothing) {
      std::fill(x + first, std::max(x + first, x + last), T(0));
    } else {
      if (plan.wide_softmax)
        softmax_row<double>(seen, n);
      else if constexpr (kIsFloat)
        math->softmax(seen, seen, n);
      else
        softmax_row<T>(seen, n);
      std::fill(x + first, seen, T(0));
      std::fill(seen + n, std::max(seen + n, x + last), T(0));
    }
    if (out && plan.mode == kProbabilities) std::copy_n(x, total, out);
  }

  void cap(T* x, int64_t n, T limit) const {
    vectorize([=]() OG_SIMD {
      for (int64_t i = 0; i < n; ++i) x[i] = x[i] / limit;
    });
    if constexpr (kIsFloat)
      math->tanh(x, x, n);
    else
      for (int64_t i = 0; i < n; ++i) x[i] = std::tanh(x[i]);
    vectorize([=]() OG_SIMD {
      for (int64_t i = 0; i < n; ++i) x[i] = x[i] * limit;
    });
  }

  T largest_of(const T* x, int64_t n) const {
    if constexpr (kIsFloat) {
      return math->max(x, n);
    } else {
      T largest = x[0];
      for (int64_t i = 1; i < n; ++i)
        if (!(x[i] <= largest)) largest = x[i];
      return largest;
    }
  }

  // The probabilities times the values.
  void mix(const Call& call, int64_t entry, int64_t slot, int64_t rows, const VisibleKeys& seen,
           const Worker& w) const {
    const Plan& plan = call.plan;
    const int64_t width = plan.s.value_width, batch = entry / plan.s.kv_heads, head = entry % plan.s.kv_heads;
    if (seen.begin >= seen.end) {
      std::fill_n(w.y, rows * width, T(0));
      return;
    }
    if (plan.packed) {
      og_epilogue more = og_epilogue_init();
      if constexpr (kIsFloat) more.residual = w.y;
      more.residual_ld = width;
      const int64_t begin = seen.begin / kPanel * kPanel;
      for (int64_t first = begin; first < seen.end; first += kPanel) {
        og_gemm g = value_product(plan, rows, std::min(kPanel, call.end_of(batch) - first));
        g.flags |= OG_GEMM_PACKED_B;
        const uint64_t at = static_cast<uint64_t>(slot * plan.panels + first / kPanel);
        multiply(call, g, w.scores + first, call.parts.value_panels + at * plan.value_panel_bytes, w.y,
                 first == begin ? nullptr : &more, w.product);
      }
      return;
    }
    const T* values = call.values.at(batch, head, seen.begin);
    const int64_t count = seen.end - seen.begin, step = call.values.row_stride;
    if constexpr (kIsFloat) {
      og_gemm g = value_product(plan, rows, count);
      g.ldb = step;
      multiply(call, g, w.scores + seen.begin, values, w.y, nullptr, w.product);
    } else {
      for (int64_t i = 0; i < rows; ++i) {
        const T* weights = w.scores + i * plan.score_stride + seen.begin;
        vectorize([=, y = w.y + i * width]() OG_SIMD {
          for (int64_t d = 0; d < width; ++d) y[d] = 0;
          for (int64_t j = 0; j < count; ++j)
            for (int64_t d = 0; d < width; ++d) y[d] += weights[j] * values[j * step + d];
        });
      }
    }
  }
};

}  // namespace attention
}  // namespace OG_HIDDEN
#endif  // OPGRAFT_ATTENTION_KERNEL_H_
