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

// Sums blocks in T and adds the blocks in double: as fast as T alone, without its error for long rows.
template <class T>
Moments measure_moments(const T* x, int64_t count, double epsilon) {
  constexpr int64_t kBlock = 1024;
  double sum = 0, squares = 0;
  vectorize([&]() OG_SIMD {
    for (int64_t first = 0; first < count; first += kBlock) {
      T part = 0;
      const int64_t last = std::min(count, first + kBlock);
#pragma omp simd reduction(+ : part)
      for (int64_t i = first; i < last; ++i) part += x[i];
      sum += static_cast<double>(part);
    }
  });
  const double total = static_cast<double>(std::max<int64_t>(1, count)), mean = sum / total;
  vectorize([&]() OG_SIMD {
    const T about = static_cast<T>(mean);
    for (int64_t first = 0; first < count; first += kBlock) {
      T part = 0;
      const int64_t last = std::min(count, first + kBlock);
#pragma omp simd reduction(+ : part)
      for (int64_t i = first; i < last; ++i) part += (x[i] - about) * (x[i] - about);
      squares += static_cast<double>(part);
    }
  });
  return {mean, 1.0 / std::sqrt(squares / total + epsilon)};
}

// y = (x - mean) * inverse_deviation * scale + bias; y may be x.
template <class T>
void normalize_row(const T* x, int64_t count, const Moments& moments, T scale, T bias, T* y) {
  const T mean = static_cast<T>(moments.mean);
  const T factor = static_cast<T>(moments.inverse_deviation * static_cast<double>(scale));
  vectorize([=]() OG_SIMD {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor + bias;
  });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_NORMALIZATION_H_
