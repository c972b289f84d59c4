// LRN: each element is divided by a power of the squares of its neighbours in the channel axis.
#include <opgraft/op.h>
#include <opgraft/vectorize.h>

#include <algorithm>
#include <cmath>
using namespace opgraft;
namespace {

constexpr int64_t kBlock = 512;

// to = from / base^beta over one block. The default beta needs square roots alone.
template <class T>
void divide_by_power(const T* from, const T* base, T beta, int64_t count, T* to) {
  if (beta == T(0.75)) {
    vectorize([=]() OG_SIMD {
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) {
        const T root = std::sqrt(base[i]);
        to[i] = from[i] / (root * std::sqrt(root));
      }
    });
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] / std::pow(base[i], beta);
}

template <class T>
void lrn(Run& r) {
  const Tensor input = r.input(0);
  const int64_t channels = input.dim(1), plane = input.product(2, input.ndim());
  const int64_t size = r.get("size", int64_t{1});
  const T alpha = static_cast<T>(r.get("alpha", 1e-4f)) / static_cast<T>(size);
  const T beta = static_cast<T>(r.get("beta", 0.75f)), bias = static_cast<T>(r.get("bias", 1.0f));
  const int64_t before = (size - 1) / 2, after = size - 1 - before;
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  const int64_t blocks = (plane + kBlock - 1) / kBlock;
  r.parallel_for(input.dim(0) * blocks, 1, [&](int64_t begin, int64_t end) {
    T base[kBlock];
    for (int64_t at = begin; at < end; ++at) {
      const int64_t first = at % blocks * kBlock, count = std::min(kBlock, plane - first);
      const T* from = x + at / blocks * channels * plane + first;
      T* to = y + at / blocks * channels * plane + first;
      for (int64_t channel = 0; channel < channels; ++channel) {
        std::fill_n(base, count, T(0));
        const int64_t last = std::min(channels - 1, channel + after);
        vectorize([&]() OG_SIMD {
          for (int64_t other = std::max<int64_t>(0, channel - before); other <= last; ++other) {
            const T* row = from + other * plane;
#pragma omp simd
            for (int64_t i = 0; i < count; ++i) base[i] += row[i] * row[i];
          }
#pragma omp simd
          for (int64_t i = 0; i < count; ++i) base[i] = bias + alpha * base[i];
        });
        divide_by_power(from + channel * plane, base, beta, count, to + channel * plane);
      }
    }
  });
}

OG_OP(LRN, "", 13) {
  op.doc("Local response normalization: X / (bias + alpha / size * sum of squares over `size` channels around) ^ beta.")
      .input("X", "T")
      .output("Y", "T")
      .attr("alpha", 1e-4f)
      .attr("beta", 0.75f)
      .attr("bias", 1.0f)
      .required_attr("size", OG_ATTR_INT)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) < 2) fail("X must have dims [N, C, ...], it has " + to_string(c.dims(0)));
        const int64_t size = c.get("size", int64_t{1});
        if (size < 1) fail("size = " + std::to_string(size) + " must be at least 1");
        c.same(0, 0);
      })
      .pure()
      .kernels<float, double>(cpu, [](auto zero, Run& r) { lrn<decltype(zero)>(r); });
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
