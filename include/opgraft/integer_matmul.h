// Products of 8-bit matrices summed exactly in 32 bits: plain loops that vectorise, rows in parallel.
#ifndef OPGRAFT_INTEGER_MATMUL_H_
#define OPGRAFT_INTEGER_MATMUL_H_

#include <cstdint>
#include <vector>

#include "opgraft/matmul.h"
#include "opgraft/quantize.h"
#include "opgraft/vectorize.h"

namespace opgraft OG_HIDDEN {

// y[m, n] = sum over k of a[m, k] * b[k, n], numbers given in 16 bits without their zero points. Sums wrap as int32.
inline void integer_product(const int16_t* a, const int16_t* b, int32_t* y, int64_t m, int64_t n, int64_t k) {
  vectorize([=]() OG_SIMD {
    for (int64_t i = 0; i < m; ++i) {
      int32_t* to = y + i * n;
      for (int64_t j = 0; j < n; ++j) to[j] = 0;
      for (int64_t l = 0; l < k; ++l) {
        const int32_t factor = a[i * k + l];
        const int16_t* row = b + l * n;
        for (int64_t j = 0; j < n; ++j)
          to[j] = static_cast<int32_t>(static_cast<uint32_t>(to[j]) + static_cast<uint32_t>(factor * row[j]));
      }
    }
  });
}

// The numbers of an 8-bit tensor less its zero points: one for all, or one for each index along `axis` (-1 = the last).
inline std::vector<int16_t> without_zero_points(const Tensor& x, const Tensor* zero, int axis) {
  std::vector<int16_t> result(static_cast<size_t>(x.numel()));
  const bool has_sign = x.dtype() == i8;
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = has_sign ? static_cast<int16_t>(x.data<int8_t>()[i]) : static_cast<int16_t>(x.data<uint8_t>()[i]);
  if (!zero) return result;
  const auto zeros = as_doubles(*zero);
  const int at = axis < 0 ? axis + x.ndim() : axis;
  const int64_t inner = x.product(at + 1, x.ndim()), size = x.ndim() ? x.dim(at) : 1;
  const int64_t count = static_cast<int64_t>(zeros.size());
  if (count == 1) {
    for (auto& number : result) number = static_cast<int16_t>(number - static_cast<int16_t>(zeros[0]));
    return result;
  }
  if (count == size) {
    for (int64_t i = 0; i < x.numel(); ++i)
      result[static_cast<size_t>(i)] = static_cast<int16_t>(
          result[static_cast<size_t>(i)] - static_cast<int16_t>(zeros[static_cast<size_t>(i / inner % size)]));
    return result;
  }
  // One for each row (or column) of each matrix: the zero points have the dims of x but for one axis of size 1.
  if (x.ndim() >= 2 && count * x.dim(at == x.ndim() - 1 ? -2 : -1) == x.numel()) {
    const int64_t rows = x.dim(-2), columns = x.dim(-1);
    for (int64_t i = 0; i < x.numel(); ++i) {
      const int64_t matrix = i / (rows * columns);
      const int64_t which = at == x.ndim() - 1 ? matrix * columns + i % columns : i / columns;
      result[static_cast<size_t>(i)] = static_cast<int16_t>(result[static_cast<size_t>(i)] -
                                                            static_cast<int16_t>(zeros[static_cast<size_t>(which)]));
    }
    return result;
  }
  fail("zero point " + to_string(zero->shape()) + " does not fit " + to_string(x.shape()));
}

// Batched product with NumPy's broadcasting of leading axes; visit(sums of one matrix, its index) after each.
template <class F>
void integer_matmul(Run& r, const Dims& a_dims, const std::vector<int16_t>& a, const Dims& b_dims,
                    const std::vector<int16_t>& b, F visit) {
  const int64_t m = a_dims.size() > 1 ? a_dims[a_dims.size() - 2] : 1, k = a_dims.back(),
                n = b_dims.size() > 1 ? b_dims.back() : 1;
  const Dims a_batch(a_dims.begin(),
                     a_dims.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(a_dims.size())));
  const Dims b_batch(b_dims.begin(),
                     b_dims.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(b_dims.size())));
  const Dims batch = broadcast_dims(a_batch, b_batch);
  int64_t matrices = 1;
  for (const int64_t dim : batch) matrices *= dim;
  const auto offset = [&](const Dims& dims, int64_t index) {
    int64_t result = 0, step = 1;
    for (size_t i = 0; i < batch.size(); ++i) {
      const size_t from_end = i + 1;
      const int64_t at = index % batch[batch.size() - from_end];
      index /= batch[batch.size() - from_end];
      if (from_end > dims.size()) continue;
      const int64_t size = dims[dims.size() - from_end];
      if (size > 1) result += at * step;
      step *= size;
    }
    return result;
  };
  r.parallel_for(matrices * m, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, k * n)),
                 [&](int64_t begin, int64_t end) {
                   std::vector<int32_t> sums(static_cast<size_t>(n));
                   for (int64_t row = begin; row < end; ++row) {
                     const int64_t matrix = row / m, i = row % m;
                     integer_product(a.data() + (offset(a_batch, matrix) * m + i) * k,
                                     b.data() + offset(b_batch, matrix) * k * n, sums.data(), 1, n, k);
                     visit(sums.data(), row, n);
                   }
                 });
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_INTEGER_MATMUL_H_
