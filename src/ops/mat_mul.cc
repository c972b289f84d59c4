// MatMul: matrix product with NumPy's rules for vectors and leading axes.
#include <opgraft/matmul.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

struct MatMulF32 {
  MatmulService product;
  static bool supports(Prepare&) { return MatmulService::available(); }
  void pack(Pack& p) { product.pack(p, 1, false); }
  MatmulService::Plan prepare(Prepare& p) const { return product.prepare(p, 0, 1); }
  void run(Run& r) const {
    product.run(r.plan<MatmulService::Plan>(), r.in<float>(0), r.in<float>(1), r.out<float>(0), nullptr, r.scratch(),
                r.parallel());
  }
};

// Rows [begin, end) of all products, counted over the batch.
template <class T>
void multiply_rows(const MatmulShape& s, const T* a, const T* b, T* y, int64_t begin, int64_t end) {
  using S = typename SumOf<T>::type;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t entry = row / s.m;
    const auto at = static_cast<size_t>(entry);
    const T* a_row = a + (s.a_offsets.empty() ? 0 : s.a_offsets[at]) + (row - entry * s.m) * s.k;
    const T* b_matrix = b + (s.b_offsets.empty() ? 0 : s.b_offsets[at]);
    T* y_row = y + row * s.n;
    if (s.n == 1) {
      S sum = 0;
      for (int64_t k = 0; k < s.k; ++k) sum += static_cast<S>(a_row[k]) * static_cast<S>(b_matrix[k]);
      y_row[0] = static_cast<T>(sum);
      continue;
    }
    for (int64_t j = 0; j < s.n; ++j) y_row[j] = 0;
    for (int64_t k = 0; k < s.k; ++k) {
      const S factor = static_cast<S>(a_row[k]);
      const T* b_row = b_matrix + k * s.n;
#pragma omp simd
      for (int64_t j = 0; j < s.n; ++j)
        y_row[j] = static_cast<T>(static_cast<S>(y_row[j]) + factor * static_cast<S>(b_row[j]));
    }
  }
}

template <class T>
void multiply(Run& r) {
  const MatmulShape shape(r.input(0).shape(), r.input(1).shape());
  const T* a = r.in<T>(0);
  const T* b = r.in<T>(1);
  T* y = r.out<T>(0);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, shape.n * shape.k));
  r.parallel_for(shape.batch * shape.m, grain,
                 [&](int64_t begin, int64_t end) { multiply_rows(shape, a, b, y, begin, end); });
}

OG_OP(MatMul, "", 13) {
  op.doc("Matrix product over the last two axes; leading axes broadcast, a vector counts as one row or column.")
      .input("A", "T")
      .input("B", "T")
      .output("Y", "T")
      .types("T", types::high_precision)
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ranked(1))
          c.out(0, c.dtype(0), matmul_dims(c.dims(0), c.dims(1)));
        else
          c.out(0, c.dtype(0));
      })
      .pure()
      .flops([](Prepare& p) {
        const MatmulShape s(p.dims(0), p.dims(1));
        return 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) *
               static_cast<double>(s.k);
      })
      .kernel<MatMulF32>(cpu, f32)
      .kernels<double, int32_t, int64_t, uint32_t, uint64_t>(cpu,
                                                             [](auto zero, Run& r) { multiply<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { multiply<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(9, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1, [](Op& o) {
    o.types("T", types::ieee);
  });
}

}  // namespace
