// The fp32 matrix product behind MatMul and the fused operators: NumPy's rules of shapes on the GEMM service.
#ifndef OPGRAFT_MATMUL_H_
#define OPGRAFT_MATMUL_H_

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "opgraft/broadcast.h"
#include "opgraft/context.h"
#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

// Dims of A x B after NumPy: vectors become matrices and lose the added axis again, leading axes broadcast.
// Numbers and symbols.
inline Dims matmul_dims(Dims a, Dims b) {
  if (a.empty() || b.empty()) fail("a scalar has no matrix product: dims are " + to_string(a) + " and " + to_string(b));
  const bool a_vector = a.size() == 1, b_vector = b.size() == 1;
  const Dims a_given = a, b_given = b;
  if (a_vector) a.insert(a.begin(), 1);
  if (b_vector) b.push_back(1);
  const int64_t ka = a.back(), kb = b[b.size() - 2];
  if (is_known(ka) && is_known(kb) && ka != kb)
    fail("cannot multiply dims " + to_string(a_given) + " and " + to_string(b_given) + ": the inner sizes " +
         std::to_string(ka) + " and " + std::to_string(kb) + " differ");
  Dims y = broadcast_dims(Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2));
  if (!a_vector) y.push_back(a[a.size() - 2]);
  if (!b_vector) y.push_back(b.back());
  return y;
}

// Sizes of one product, concrete, with the matrices of each batch entry by element offset.
struct MatmulShape {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  std::vector<int64_t> a_offsets, b_offsets;  // empty when batch is 1

  MatmulShape() = default;
  MatmulShape(Dims a, Dims b) {
    if (a.size() == 1) a.insert(a.begin(), 1);
    if (b.size() == 1) b.push_back(1);
    m = a[a.size() - 2];
    k = a.back();
    n = b.back();
    const size_t rank = std::max(a.size(), b.size()) - 2;
    a.insert(a.begin(), rank + 2 - a.size(), 1);
    b.insert(b.begin(), rank + 2 - b.size(), 1);
    bool one_b = true;
    for (size_t i = 0; i < rank; ++i) one_b = one_b && b[i] == 1;
    if (one_b) {  // the batch of A is more rows of one product
      for (size_t i = 0; i < rank; ++i) m *= a[i];
      return;
    }
    for (size_t i = 0; i < rank; ++i) batch *= a[i] == 1 ? b[i] : a[i];
    fill_offsets(a, b, rank, m * k, a_offsets);
    fill_offsets(b, a, rank, k * n, b_offsets);
  }

 private:
  static void fill_offsets(const Dims& own, const Dims& other, size_t rank, int64_t matrix,
                           std::vector<int64_t>& offsets) {
    offsets.assign(1, 0);
    int64_t step = matrix;
    for (size_t i = rank; i-- > 0;) {
      const int64_t count = own[i] == 1 ? other[i] : own[i];
      const int64_t stride = own[i] == 1 ? 0 : step;
      std::vector<int64_t> wider;
      wider.reserve(offsets.size() * static_cast<size_t>(count));
      for (int64_t j = 0; j < count; ++j)
        for (int64_t offset : offsets) wider.push_back(offset + j * stride);
      offsets.swap(wider);
      step *= own[i];
    }
  }
};

inline uint32_t gemm_flags(bool trans_a, bool trans_b, bool packed_b) {
  uint32_t flags = 0;
  if (trans_a) flags |= OG_GEMM_TRANS_A;
  if (trans_b) flags |= OG_GEMM_TRANS_B;
  if (packed_b) flags |= OG_GEMM_PACKED_B;
  return flags;
}

// The type to sum products of T in: signed integers wrap around, so they are summed as unsigned ones.
template <class T, bool = std::is_integral_v<T>>
struct SumOf {
  using type = T;
};
template <class T>
struct SumOf<T, true> {
  using type = std::make_unsigned_t<T>;
};

// The product on the GEMM service. A constant B that is one matrix is packed once.
class MatmulService {
 public:
  static bool available() { return service<og_cpu_gemm>(OG_CPU_GEMM) != nullptr; }

  // `transposed`: B is stored as [n, k].
  void pack(Pack& p, int b_input, bool transposed) {
    table_ = service<og_cpu_gemm>(OG_CPU_GEMM);
    transposed_ = transposed;
    const auto b = p.constant(b_input);
    if (!b || b->dtype != f32) return;
    const Tensor tensor(*b);
    if (tensor.ndim() < 2 || tensor.product(0, tensor.ndim() - 2) != 1) return;
    const int64_t rows = tensor.dim(-2), columns = tensor.dim(-1);
    og_gemm gemm = og_gemm_init(1, transposed ? rows : columns, transposed ? columns : rows);
    gemm.flags = gemm_flags(false, transposed, false);
    void* memory = p.buffer<char>(table_->packed_b_bytes(&gemm));
    if (table_->pack_b(&gemm, tensor.data<float>(), memory) != 0) fail("the GEMM service refused to pack B");
    packed_ = memory;
  }

  struct Plan {
    MatmulShape shape;
    og_gemm gemm{};
  };
  Plan prepare(Prepare& p, int a_input, int b_input, bool a_transposed = false, float alpha = 1.0f,
               uint64_t* scratch = nullptr) const {
    Plan plan;
    Dims a = p.dims(a_input), b = p.dims(b_input);
    if (a_transposed) std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (transposed_) std::swap(b[b.size() - 1], b[b.size() - 2]);
    plan.shape = MatmulShape(a, b);
    const MatmulShape& s = plan.shape;
    plan.gemm = og_gemm_init(s.m, s.n, s.k);
    plan.gemm.flags = gemm_flags(a_transposed, transposed_, packed_ != nullptr);
    plan.gemm.alpha = alpha;
    plan.gemm.batch = s.batch;
    plan.gemm.stride_c = s.m * s.n;
    if (even(s.a_offsets, &plan.gemm.stride_a) && even(s.b_offsets, &plan.gemm.stride_b))
      plan.shape.a_offsets.clear(), plan.shape.b_offsets.clear();
    og_gemm gemm = described(plan);
    const uint64_t bytes = table_->scratch_bytes(&gemm, p.threads());
    if (scratch)
      *scratch = bytes;
    else
      p.scratch(bytes);
    return plan;
  }

  void run(const Plan& plan, const float* a, const float* b, float* y, const og_epilogue* epilogue, void* scratch,
           const og_parallel* parallel) const {
    const og_gemm gemm = described(plan);
    if (table_->run(&gemm, a, packed_ ? packed_ : b, y, epilogue, scratch, parallel) != 0)
      fail("the GEMM service refused the product of sizes " + to_string(Dims{gemm.m, gemm.n, gemm.k}));
  }

 private:
  // Offsets that grow by one step: a stride says the same.
  static bool even(const std::vector<int64_t>& offsets, int64_t* stride) {
    *stride = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
    for (size_t i = 1; i < offsets.size(); ++i)
      if (offsets[i] - offsets[i - 1] != *stride) return false;
    return true;
  }
  // Pointers into the plan are set late: the plan is moved after prepare.
  static og_gemm described(const Plan& plan) {
    og_gemm gemm = plan.gemm;
    if (!plan.shape.a_offsets.empty()) {
      gemm.offsets_a = plan.shape.a_offsets.data();
      gemm.offsets_b = plan.shape.b_offsets.data();
    }
    return gemm;
  }

  const og_cpu_gemm* table_ = nullptr;
  const void* packed_ = nullptr;
  bool transposed_ = false;
};

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_MATMUL_H_
