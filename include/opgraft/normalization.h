// Mean and variance of a row, and the row normalized by them.
#ifndef OPGRAFT_NORMALIZATION_H_
#define OPGRAFT_NORMALIZATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {

struct Moments {
  double mean, inverse_deviation;
};

namespace detail {

// Sum of term(x[i]): blocks in T over many lanes, the blocks in double. As fast as T alone, without its error for long
// rows.
template <class T, class Term>
double sum_of(const T* x, int64_t count, Term term) {
  constexpr int64_t kLanes = 32, kBlock = 1024;
  double sum = 0;
  vectorize([&]() OG_SIMD {
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t size = std::min(count - first, kBlock), whole = size / kLanes * kLanes;
      T lanes[kLanes] = {};
      for (int64_t i = 0; i < whole; i += kLanes)
        for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(x[first + i + lane]);
      for (int64_t lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(lanes[lane]);
      for (int64_t i = whole; i < size; ++i) sum += static_cast<double>(term(x[first + i]));
    }
  });
  return sum;
}

}  // namespace detail

template <class T>
Moments measure_moments(const T* x, int64_t count, double epsilon) {
  const double total = static_cast<double>(std::max<int64_t>(1, count));
  const double mean = detail::sum_of(x, count, [](T value) { return value; }) / total;
  const T about = static_cast<T>(mean);
  const double squares = detail::sum_of(x, count, [=](T value) { return (value - about) * (value - about); });
  return {mean, 1.0 / std::sqrt(squares / total + epsilon)};
}

// y = (x - mean) * inverse_deviation * scale + bias; y may be x.
template <class T>
void normalize_row(const T* x, int64_t count, const Moments& moments, T scale, T bias, T* y) {
  const T mean = static_cast<T>(moments.mean);
  const T factor = static_cast<T>(moments.inverse_deviation * static_cast<double>(scale));
  vectorize([=]() OG_SIMD {
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
  });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_NORMALIZATION_H_
