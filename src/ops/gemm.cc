// Gemm: Y = alpha * A' * B' + beta * C, where A' and B' may be transposed and C broadcasts to Y.
#include <opgraft/matmul.h>
#include <opgraft/op.h>

#include <algorithm>
using namespace opgraft;
namespace {

struct Sizes {
  int64_t m, n, k;
};

Sizes gemm_sizes(const Dims& a, const Dims& b, bool trans_a, bool trans_b) {
  return {a[trans_a ? 1 : 0], b[trans_b ? 0 : 1], a[trans_a ? 0 : 1]};
}

// How C reaches all of Y: elements between its rows and between its columns.
struct BiasSteps {
  int64_t row = 0, column = 0;
};
BiasSteps bias_steps(const Dims& c, int64_t m, int64_t n) {
  BiasSteps result;
  const int64_t rows = c.size() == 2 ? c[0] : 1, columns = c.empty() ? 1 : c.back();
  if (c.size() > 2 || (rows != 1 && rows != m) || (columns != 1 && columns != n))
    fail("C of dims " + to_string(c) + " does not broadcast to " + to_string(Dims{m, n}));
  result.column = columns == 1 ? 0 : 1;
  result.row = rows == 1 ? 0 : columns;
  return result;
}

struct GemmF32 {
  const og_cpu_gemm* table = nullptr;
  const void* packed = nullptr;
  bool trans_a = false, trans_b = false;
  float alpha = 1.0f, beta = 1.0f;

  enum class Bias { none, columns, rows, residual, expanded };
  struct Plan {
    og_gemm gemm;
    Bias bias;
    BiasSteps c;
    uint64_t gemm_bytes;
  };

  static bool supports(Prepare&) { return service<og_cpu_gemm>(OG_CPU_GEMM) != nullptr; }

  void pack(Pack& p) {
    table = service<og_cpu_gemm>(OG_CPU_GEMM);
    trans_a = p.get("transA", 0) != 0;
    trans_b = p.get("transB", 0) != 0;
    alpha = p.get("alpha", 1.0f);
    beta = p.get("beta", 1.0f);
    const auto b = p.constant(1);
    if (!b) return;
    const Tensor tensor(*b);
    og_gemm gemm = og_gemm_init(1, tensor.dim(trans_b ? 0 : 1), tensor.dim(trans_b ? 1 : 0));
    gemm.flags = gemm_flags(false, trans_b, false);
    void* memory = p.buffer<char>(table->packed_b_bytes(&gemm));
    if (table->pack_b(&gemm, tensor.data<float>(), memory) != 0) fail("the GEMM service refused to pack B");
    packed = memory;
  }

  Plan prepare(Prepare& p) const {
    Plan plan{};
    const Sizes s = gemm_sizes(p.dims(0), p.dims(1), trans_a, trans_b);
    plan.gemm = og_gemm_init(s.m, s.n, s.k);
    plan.gemm.flags = gemm_flags(trans_a, trans_b, packed != nullptr);
    plan.gemm.alpha = alpha;
    plan.bias = Bias::none;
    if (p.has(2) && beta != 0.0f) {
      plan.c = bias_steps(p.dims(2), s.m, s.n);
      if (plan.c.column == 1)
        plan.bias = plan.c.row == 0 && beta == 1.0f ? Bias::columns : Bias::residual;
      else
        plan.bias = plan.c.row == 1 && beta == 1.0f ? Bias::rows : Bias::expanded;
    }
    plan.gemm_bytes = (table->scratch_bytes(&plan.gemm, p.threads()) + 63) / 64 * 64;
    p.scratch(plan.gemm_bytes + (plan.bias == Bias::expanded ? static_cast<uint64_t>(s.m) * sizeof(float) : 0));
    return plan;
  }

  void run(Run& r) const {
    const Plan& plan = r.plan<Plan>();
    og_epilogue epilogue = og_epilogue_init();
    const float* c = plan.bias == Bias::none ? nullptr : r.in<float>(2);
    switch (plan.bias) {
      case Bias::none:
        break;
      case Bias::columns:
        epilogue.bias_n = c;
        break;
      case Bias::rows:
        epilogue.bias_m = c;
        break;
      case Bias::residual:
        epilogue.residual = c;
        epilogue.residual_ld = plan.c.row;
        epilogue.beta = beta;
        break;
      case Bias::expanded: {  // a scalar, or one scaled value per row
        float* rows = reinterpret_cast<float*>(r.scratch<char>() + plan.gemm_bytes);
        for (int64_t i = 0; i < plan.gemm.m; ++i) rows[i] = beta * c[i * plan.c.row];
        epilogue.bias_m = rows;
        break;
      }
    }
    const void* b = packed ? packed : r.in<float>(1);
    if (table->run(&plan.gemm, r.in<float>(0), b, r.out<float>(0), &epilogue, r.scratch(), r.parallel()) != 0)
      fail("the GEMM service refused the product");
  }
};

template <class T>
void gemm(Run& r) {
  using S = typename SumOf<T>::type;
  const bool trans_a = r.get("transA", 0) != 0, trans_b = r.get("transB", 0) != 0;
  const Sizes s = gemm_sizes(r.input(0).shape(), r.input(1).shape(), trans_a, trans_b);
  const S alpha = static_cast<S>(static_cast<T>(r.get("alpha", 1.0f)));
  const S beta = static_cast<S>(static_cast<T>(r.get("beta", 1.0f)));
  const bool has_c = r.has(2) && beta != S(0);
  const BiasSteps steps = has_c ? bias_steps(r.input(2).shape(), s.m, s.n) : BiasSteps{};
  const T* a = r.in<T>(0);
  const T* b = r.in<T>(1);
  const T* c = has_c ? r.in<T>(2) : nullptr;
  T* y = r.out<T>(0);
  const int64_t a_row = trans_a ? 1 : s.k, a_column = trans_a ? s.m : 1;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.n * s.k));
  r.parallel_for(s.m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* a_at = a + i * a_row;
      T* y_row = y + i * s.n;
      if (trans_b) {
        for (int64_t j = 0; j < s.n; ++j) {
          S sum = 0;
          for (int64_t k = 0; k < s.k; ++k) sum += static_cast<S>(a_at[k * a_column]) * static_cast<S>(b[j * s.k + k]);
          y_row[j] = static_cast<T>(sum);
        }
      } else {
        std::fill_n(y_row, s.n, T(0));
        for (int64_t k = 0; k < s.k; ++k) {
          const S factor = static_cast<S>(a_at[k * a_column]);
          const T* b_row = b + k * s.n;
#pragma omp simd
          for (int64_t j = 0; j < s.n; ++j)
            y_row[j] = static_cast<T>(static_cast<S>(y_row[j]) + factor * static_cast<S>(b_row[j]));
        }
      }
      for (int64_t j = 0; j < s.n; ++j) {
        S value = alpha * static_cast<S>(y_row[j]);
        if (c) value += beta * static_cast<S>(c[i * steps.row + j * steps.column]);
        y_row[j] = static_cast<T>(value);
      }
    }
  });
}

void infer(Infer& c) {
  for (int i = 0; i < 2; ++i)
    if (c.ranked(i) && c.ndim(i) != 2)
      fail(std::string(i ? "B" : "A") + " must have rank 2, it has dims " + to_string(c.dims(i)));
  const bool trans_a = c.get("transA", 0) != 0, trans_b = c.get("transB", 0) != 0;
  const int64_t m = c.dim(0, trans_a ? 1 : 0), n = c.dim(1, trans_b ? 0 : 1);
  const int64_t ka = c.dim(0, trans_a ? 0 : 1), kb = c.dim(1, trans_b ? 1 : 0);
  if (is_known(ka) && is_known(kb) && ka != kb)
    fail("A of dims " + to_string(c.dims(0)) + " and B of dims " + to_string(c.dims(1)) +
         " (transA = " + std::to_string(trans_a) + ", transB = " + std::to_string(trans_b) +
         ") have different inner sizes " + std::to_string(ka) + " and " + std::to_string(kb));
  if (c.has(2) && c.ranked(2)) {
    const Dims dims = c.dims(2);
    bool known = is_known(m) && is_known(n);
    for (int64_t dim : dims) known = known && is_known(dim);
    if (known) bias_steps(dims, m, n);
  }
  c.out(0, c.dtype(0), {m, n});
}

OG_OP(Gemm, "", 13) {
  op.doc("General matrix product: alpha * A' * B' + beta * C, with A' and B' transposed on request.")
      .input("A", "T")
      .input("B", "T")
      .input("C", "T", optional)
      .output("Y", "T")
      .attr("alpha", 1.0f)
      .attr("beta", 1.0f)
      .attr("transA", 0)
      .attr("transB", 0)
      .types("T", types::high_precision)
      .infer(infer)
      .pure()
      .flops([](Prepare& p) {
        const Sizes s = gemm_sizes(p.dims(0), p.dims(1), p.get("transA", 0) != 0, p.get("transB", 0) != 0);
        return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
      })
      .kernel<GemmF32>(cpu, f32)
      .kernels<double, int32_t, int64_t, uint32_t, uint64_t>(cpu, [](auto zero, Run& r) { gemm<decltype(zero)>(r); });
  const KernelOptions reference{1, 0, nullptr, nullptr};
  op.kernels<float>(
      cpu, [](auto zero, Run& r) { gemm<decltype(zero)>(r); }, nullptr, reference);
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); })
      .earlier(9, [](Op& o) { o.input("C", "T"); })
      .earlier(7, [](Op& o) { o.types("T", types::ieee); })
      .earlier(
          6, [](Op& o) { o.attr("broadcast", 0); },
          [](Graph& g) {
            g.node("Gemm", {"A", "B", "C"}, {"Y"})
                .attr_from("alpha")
                .attr_from("beta")
                .attr_from("transA")
                .attr_from("transB");
          })
      .earlier(1);
}

}  // namespace
