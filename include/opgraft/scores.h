// What the classifiers and regressors of ai.onnx.ml share: rows of features, transforms of scores, class labels.
#ifndef OPGRAFT_SCORES_H_
#define OPGRAFT_SCORES_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "opgraft/op.h"
#include "opgraft/services.h"
#include "opgraft/softmax.h"

namespace opgraft OG_HIDDEN {

// ---- Inputs: [N, F], or [F] for one row ----

struct Rows {
  int64_t count = 0, features = 0;
};
inline Rows rows_of(const Dims& dims, const char* name = "X") {
  if (dims.size() != 1 && dims.size() != 2)
    fail(std::string(name) + " must be [N, F], or [F] for one row; it is " + to_string(dims));
  return dims.size() == 1 ? Rows{1, dims[0]} : Rows{dims[0], dims[1]};
}
// Of the input 0 in inference, numbers and symbols. `features`: what the model wants, negative = not known.
inline Rows infer_rows(const Infer& c, int64_t features = -1) {
  if (!c.ranked(0)) return {kUnknown, kUnknown};
  const Rows rows = rows_of(c.dims(0));
  if (features >= 0 && is_known(rows.features) && rows.features != features)
    fail("X has " + std::to_string(rows.features) + " features, the attributes are made for " +
         std::to_string(features));
  return rows;
}

// Elements of any real type as another.
template <class T>
void convert_elements(const Tensor& x, int64_t first, int64_t count, T* to) {
  const auto copy = [&](auto zero) {
    const auto* from = x.data<decltype(zero)>() + first;
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
  };
  switch (x.dtype()) {
    case f32:
      return copy(float{});
    case f64:
      return copy(double{});
    case f16:
      return copy(half_t{});
    case i32:
      return copy(int32_t{});
    case i64:
      return copy(int64_t{});
    case u8:
      return copy(uint8_t{});
    default:
      fail(std::string("a tensor of ") + dtype_name(x.dtype()) + " cannot be used here");
  }
}

// X as floats: the input itself, or a copy in `storage`.
inline const float* as_floats(const Run& r, int input, std::vector<float>& storage) {
  const Tensor x = r.input(input);
  if (x.dtype() == f32) return x.data<float>();
  storage.resize(static_cast<size_t>(x.numel()));
  r.parallel_for(x.numel(), 65536,
                 [&](int64_t begin, int64_t end) { convert_elements(x, begin, end - begin, storage.data() + begin); });
  return storage.data();
}

// ---- Transforms of scores ----

enum class PostTransform { none, softmax, logistic, softmax_zero, probit };

inline PostTransform post_transform_of(const Node& node) {
  static constexpr const char* kNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  const auto attr = node.find("post_transform");
  if (!attr) return PostTransform::none;
  if (attr->kind == OG_ATTR_INT) {
    if (attr->ints[0] < 0 || attr->ints[0] > 4)
      fail("post_transform = " + std::to_string(attr->ints[0]) + " must be in [0, 4]");
    return static_cast<PostTransform>(attr->ints[0]);
  }
  const std::string name = node.get("post_transform", "NONE");
  for (int i = 0; i < 5; ++i)
    if (name == kNames[i]) return static_cast<PostTransform>(i);
  fail("post_transform is \"" + name + "\", expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
}

inline double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The inverse of the normal distribution function in Winitzki's approximation of erf, which is what other engines use.
inline double probit(double p) {
  constexpr double kA = 0.147, kPi = 3.14159265358979323846;
  const double x = 2 * p - 1, log = std::log((1 - x) * (1 + x)), half = 2 / (kPi * kA) + 0.5 * log;
  return std::sqrt(2.0) * std::copysign(std::sqrt(std::max(std::sqrt(half * half - log / kA) - half, 0.0)), x);
}

// Scores of one row in place. A single score is a margin and not a distribution: only PROBIT changes it.
template <class T>
void transform_scores(PostTransform transform, T* scores, int64_t n) {
  if (transform == PostTransform::probit) {
    for (int64_t i = 0; i < n; ++i) scores[i] = static_cast<T>(probit(static_cast<double>(scores[i])));
    return;
  }
  if (n < 2 || transform == PostTransform::none) return;
  if (transform == PostTransform::logistic) {
    for (int64_t i = 0; i < n; ++i) scores[i] = static_cast<T>(logistic(static_cast<double>(scores[i])));
    return;
  }
  const T largest = *std::max_element(scores, scores + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    // SOFTMAX_ZERO leaves what is zero out of the sum.
    const bool counts = transform == PostTransform::softmax || std::abs(scores[i]) > T(1e-7);
    scores[i] = counts ? std::exp(scores[i] - largest) : scores[i] * std::exp(-largest);
    if (counts) sum += scores[i];
  }
  for (int64_t i = 0; i < n; ++i) scores[i] /= sum;
}

// Scores of many rows in place.
inline void transform_rows(const Run& r, PostTransform transform, float* scores, int64_t rows, int64_t n) {
  if (transform == PostTransform::none || n < 1 || (n == 1 && transform != PostTransform::probit)) return;
  const auto* math = service<og_cpu_math>(OG_CPU_MATH);
  r.parallel_for(rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
    float* from = scores + begin * n;
    if (transform == PostTransform::softmax) return detail::softmax_rows<false>(math, from, from, end - begin, n);
    if (transform == PostTransform::logistic && math) return math->sigmoid(from, from, (end - begin) * n);
    for (int64_t i = begin; i < end; ++i) transform_scores(transform, scores + i * n, n);
  });
}

// ---- Class labels ----

// The labels of a classifier: strings or integers, by two attributes of which one is given.
class Labels {
 public:
  Labels() = default;
  Labels(const Node& node, const char* integers_attr) {
    strings_ = node.strings("classlabels_strings");
    integers_ = node.ints(integers_attr);
    if (strings_.empty() == integers_.empty())
      fail(std::string(strings_.empty() ? "neither" : "both") + " classlabels_strings " +
           (strings_.empty() ? "nor " : "and ") + integers_attr + " given; exactly one of them names the classes");
  }
  bool strings() const { return !strings_.empty(); }
  opgraft::dtype dtype() const { return strings() ? str : i64; }
  int64_t size() const { return static_cast<int64_t>(strings() ? strings_.size() : integers_.size()); }
  int64_t integer(int64_t i) const { return integers_[static_cast<size_t>(i)]; }

  // Output 0 gets the label of each row; `chosen` holds positions in the list of labels.
  void write(Run& r, const std::vector<int64_t>& chosen) const {
    const auto count = static_cast<int64_t>(chosen.size());
    const Tensor y = r.output(0, {count});
    if (strings()) {
      for (int64_t i = 0; i < count; ++i)
        r.set_string(0, i, strings_[static_cast<size_t>(chosen[static_cast<size_t>(i)])]);
      return;
    }
    for (int64_t i = 0; i < count; ++i) y.data<int64_t>()[i] = integer(chosen[static_cast<size_t>(i)]);
  }

 private:
  std::vector<std::string> strings_;
  std::vector<int64_t> integers_;
};

// Position of the largest score, the first of equals.
template <class T>
int64_t largest_score(const T* scores, int64_t n) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SCORES_H_
