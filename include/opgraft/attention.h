// Attention: what its inputs must be, what dims follow, and which keys a query sees.
#ifndef OPGRAFT_ATTENTION_H_
#define OPGRAFT_ATTENTION_H_

#include <algorithm>
#include <string>
#include <utility>

#include "opgraft/agree.h"
#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

namespace attention {

// Positions of the operator Attention.
enum Input { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad };
enum Output { kY, kPresentKey, kPresentValue, kScores };
// What qk_matmul_output holds.
enum ScoresMode { kRaw, kCapped, kMasked, kProbabilities };

}  // namespace attention

// Sizes of one attention; symbols during inference, numbers afterwards. `flat`: inputs and output are
// [batch, length, heads * width] instead of [batch, heads, length, width].
struct AttentionSizes {
  bool flat = false;
  int64_t batch = kUnknown, q_heads = kUnknown, kv_heads = kUnknown, q_length = kUnknown, kv_length = kUnknown;
  int64_t past = 0, total = kUnknown, width = kUnknown, value_width = kUnknown;
  int64_t group() const { return kv_heads ? q_heads / kv_heads : 1; }
};

// Inputs Q, K, V and, where `with_past`, those of Attention at their positions.
class AttentionReader {
 public:
  explicit AttentionReader(Infer& c) : c_(c) {}

  // False while the rank of Q, K or V is not known.
  bool read(AttentionSizes* s) const {
    for (int i = 0; i < 3; ++i)
      if (!c_.ranked(i)) return false;
    const int rank = c_.ndim(0);
    if ((rank != 3 && rank != 4) || c_.ndim(1) != rank || c_.ndim(2) != rank)
      fail("Q " + to_string(c_.dims(0)) + ", K " + to_string(c_.dims(1)) + " and V " + to_string(c_.dims(2)) +
           " must all have 3 or all have 4 axes");
    s->flat = rank == 3;
    const int length = rank - 2;
    s->q_heads = heads("q_num_heads", 0, s->flat);
    s->kv_heads = heads("kv_num_heads", 1, s->flat);
    if (!s->flat) s->kv_heads = agree(s->kv_heads, c_.dim(2, 1), "the heads of K and V");
    s->batch = agree(agree(c_.dim(0, 0), c_.dim(1, 0), "the batch sizes of Q and K"), c_.dim(2, 0),
                     "the batch sizes of K and V");
    s->q_length = c_.dim(0, length);
    s->kv_length = agree(c_.dim(1, length), c_.dim(2, length), "the sequence lengths of K and V");
    s->width = agree(width(0, s->q_heads, s->flat), width(1, s->kv_heads, s->flat), "the head sizes of Q and K");
    s->value_width = width(2, s->kv_heads, s->flat);
    if (is_known(s->q_heads) && is_known(s->kv_heads) &&
        (s->kv_heads == 0 ? s->q_heads != 0 : s->q_heads % s->kv_heads != 0))
      fail(std::to_string(s->q_heads) + " query heads must be a multiple of the " + std::to_string(s->kv_heads) +
           " heads of K and V");
    s->total = s->kv_length;
    return true;
  }

  // The cache of earlier keys and values at inputs `key` and `value`.
  void read_past(AttentionSizes* s, int key, int value) const {
    if (c_.has(key) != c_.has(value)) fail("past_key and past_value must be given together");
    if (!c_.has(key)) return;
    s->past = kUnknown;
    for (const int i : {key, value}) {
      if (!c_.ranked(i)) continue;
      const std::string name = i == key ? "past_key" : "past_value";
      if (c_.ndim(i) != 4)
        fail(name + " must be [batch, heads, length, head size], it has dims " + to_string(c_.dims(i)));
      s->batch = agree(s->batch, c_.dim(i, 0), "the batch sizes of Q and " + name);
      s->kv_heads = agree(s->kv_heads, c_.dim(i, 1), "the heads of K and " + name);
      s->past = agree(s->past, c_.dim(i, 2), "the sequence lengths of past_key and past_value");
      int64_t& width = i == key ? s->width : s->value_width;
      width = agree(width, c_.dim(i, 3), "the head sizes of " + std::string(i == key ? "K" : "V") + " and " + name);
    }
    s->total = c_.add(s->past, s->kv_length);
  }

 private:
  int64_t heads(const char* name, int input, bool flat) const {
    const int64_t given = c_.get(name, int64_t(0));
    if (!flat) {
      if (c_.has_attr(name)) return agree(c_.dim(input, 1), given, std::string("axis 1 and ") + name);
      return c_.dim(input, 1);
    }
    if (given < 1)
      fail(std::string(name) + (c_.has_attr(name) ? " = " + std::to_string(given) : " is not given") +
           ": with inputs of 3 axes it must be at least 1");
    return given;
  }
  int64_t width(int input, int64_t heads, bool flat) const {
    if (!flat) return c_.dim(input, 3);
    const int64_t all = c_.dim(input, 2);
    if (is_known(all) && all % heads != 0)
      fail("the last axis of input " + std::to_string(input) + ", " + std::to_string(all) + ", does not divide into " +
           std::to_string(heads) + " heads");
    return c_.floor_div(all, heads);
  }
  Infer& c_;
};

// Which keys a query may see by position: [begin, end).
struct VisibleKeys {
  int64_t begin = 0, end = 0;
};

// Causality and windows; sizes of -1 are unbounded.
struct AttentionWindow {
  bool causal = false;
  int64_t left = -1, right = -1;

  explicit AttentionWindow(const Node& node)
      : causal(node.get("is_causal", 0) != 0),
        left(node.get("left_window_size", int64_t(-1))),
        right(node.get("right_window_size", int64_t(-1))) {
    for (const auto& [name, size] : {std::pair("left_window_size", left), std::pair("right_window_size", right)})
      if (size < -1) fail(std::string(name) + " = " + std::to_string(size) + " must be -1 (unbounded), 0 or more");
  }
  // For the query at absolute position `position` (it may be negative), of the first `end` keys.
  VisibleKeys visible(int64_t position, int64_t end) const {
    VisibleKeys keys{0, end};
    if (causal) keys.end = std::min(keys.end, position + 1);
    if (right >= 0) keys.end = std::min(keys.end, position + std::min(right, int64_t(1) << 60) + 1);
    if (left >= 0 && position > left) keys.begin = position - left;
    return keys.end > keys.begin ? keys : VisibleKeys{0, 0};
  }
};

namespace attention {

// The numbers of a mask, of any type, as T.
template <class T>
void convert(const Tensor& from, T* to) {
  const int64_t n = from.numel();
  const auto copy = [&](auto zero) {
    const auto* x = from.data<decltype(zero)>();
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(x[i]);
  };
  switch (from.dtype()) {
    case f32:
      return copy(float());
    case f64:
      return copy(double());
    case i8:
      return copy(int8_t());
    case i16:
      return copy(int16_t());
    case i32:
      return copy(int32_t());
    case i64:
      return copy(int64_t());
    case u8:
      return copy(uint8_t());
    case u16:
      return copy(uint16_t());
    case u32:
      return copy(uint32_t());
    case u64:
      return copy(uint64_t());
    case f16:
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(half_to_float(from.data<uint16_t>()[i]));
      return;
    default:
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(bfloat_to_float(from.data<uint16_t>()[i]));
  }
}

}  // namespace attention
}  // namespace OG_HIDDEN
#endif  // OPGRAFT_ATTENTION_H_
