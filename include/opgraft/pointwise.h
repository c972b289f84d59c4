// Kernels of operators that work element by element: one functor, all types, broadcasting, every CPU level.
//
// A functor has `template <class T> static T apply(T)` or `(T, T)`; it must inline (OG_INLINE) and not branch, so that
// loops over it vectorise (clang is told that x and y are the same or apart). Operators with attributes, or with the
// functions of simd.h, use map_elements(). Kernels are thread-safe and work in place.
#ifndef OPGRAFT_POINTWISE_H_
#define OPGRAFT_POINTWISE_H_

#include <limits>
#include <type_traits>

#include "opgraft/broadcast.h"
#include "opgraft/op.h"
#include "opgraft/services.h"
#include "opgraft/vectorize.h"

#define OG_INLINE inline __attribute__((always_inline))

namespace opgraft OG_HIDDEN {

inline constexpr int64_t kPointwiseGrain = 16384;

// ---- one input ----

template <class F, class T>
void unary_run(Run& r) {
  const T* x = r.in<T>(0);
  auto* y = r.out<std::decay_t<decltype(F::apply(T{}))>>(0);
  r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
    vectorize([=]() OG_SIMD {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
      for (int64_t i = begin; i < end; ++i) y[i] = F::apply(x[i]);
    });
  });
}

template <class F, class... T>
Op& unary_kernels(Op& op) {
  (op.kernel(cpu, dtype_of<T>, &unary_run<F, T>), ...);
  return op;
}

// y[i] = f(level, x[i]) over the first input and output of type T: `map_elements<float>(r, [=](auto level, float x)
// OG_SIMD { return alpha * simd::exp(level, x); })`.
template <class T, class F>
void map_elements(Run& r, F f) {
  const T* x = r.in<T>(0);
  T* y = r.out<T>(0);
  r.parallel_for(r.input(0).numel(), kPointwiseGrain, [=](int64_t begin, int64_t end) {
    vectorize([=](auto level) OG_SIMD {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
      for (int64_t i = begin; i < end; ++i) y[i] = f(level, x[i]);
    });
  });
}

// A row function of the math service (fp32), chosen by member pointer.
template <og_unary_row_fn og_cpu_math::*Fn>
struct MathRow {
  static bool supports(Prepare&) { return service<og_cpu_math>(OG_CPU_MATH) != nullptr; }
  const og_cpu_math* math = nullptr;
  void pack(Pack&) { math = service<og_cpu_math>(OG_CPU_MATH); }
  void run(Run& r) const {
    const float* x = r.in<float>(0);
    float* y = r.out<float>(0);
    const og_unary_row_fn fn = math->*Fn;
    r.parallel_for(r.input(0).numel(), kPointwiseGrain,
                   [=](int64_t begin, int64_t end) { fn(x + begin, y + begin, end - begin); });
  }
};

// Definition of a unary operator "X: T -> Y: T".
inline Op& define_unary(Op& op, const char* doc, const Dtypes& types, const char* input = "X",
                        const char* output = "Y") {
  return op.doc(doc)
      .input(input, "T")
      .output(output, "T")
      .types("T", types)
      .infer([](Infer& c) { c.same(0, 0); })
      .inplace(0, 0)
      .pure();
}

// ---- two inputs ----

template <class F, class T>
struct BinaryKernel {
  using Out = std::decay_t<decltype(F::apply(T{}, T{}))>;
  Broadcast<2> prepare(Prepare& p) const { return make_broadcast<2>({p.dims(0), p.dims(1)}, p.output_dims(0)); }
  void run(Run& r) const {
    const auto& loop = r.plan<Broadcast<2>>();
    const T* a = r.in<T>(0);
    const T* b = r.in<T>(1);
    Out* y = r.out<Out>(0);
    const int64_t sa = loop.steps[0].back(), sb = loop.steps[1].back();
    for_each_row(r, loop, [=](const std::array<int64_t, 2>& offsets, int64_t out, int64_t n) {
      row(a + offsets[0], b + offsets[1], y + out, n, sa, sb);
    });
  }
  static void row(const T* a, const T* b, Out* y, int64_t n, int64_t sa, int64_t sb) {
    if (sa == 1 && sb == 1) {
      vectorize([=]() OG_SIMD {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
        for (int64_t i = 0; i < n; ++i) y[i] = F::apply(a[i], b[i]);
      });
    } else if (sa == 1 && sb == 0) {
      vectorize([=]() OG_SIMD {
        const T value = *b;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
        for (int64_t i = 0; i < n; ++i) y[i] = F::apply(a[i], value);
      });
    } else if (sa == 0 && sb == 1) {
      vectorize([=]() OG_SIMD {
        const T value = *a;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
        for (int64_t i = 0; i < n; ++i) y[i] = F::apply(value, b[i]);
      });
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = F::apply(a[i * sa], b[i * sb]);
    }
  }
};

template <class F, class... T>
Op& binary_kernels(Op& op) {
  (op.kernel<BinaryKernel<F, T>>(cpu, dtype_of<T>), ...);
  return op;
}

// Follows small integer tensors through a binary operator; `combine` sees numbers and symbols.
template <class F>
void propagate_integers(Infer& c, F&& combine) {
  const auto a = c.integers(0), b = c.integers(1);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
  const size_t n = a->size() == 1 ? b->size() : a->size();
  std::vector<int64_t> result(n);
  for (size_t i = 0; i < n; ++i)
    result[i] = combine(a->size() == 1 ? (*a)[0] : (*a)[i], b->size() == 1 ? (*b)[0] : (*b)[i]);
  c.out_integers(0, result, c.ndim(0) == 0 && c.ndim(1) == 0);
}

inline Op& define_binary(Op& op, const char* doc, const Dtypes& types) {
  return op.doc(doc)
      .input("A", "T")
      .input("B", "T")
      .output("C", "T")
      .types("T", types)
      .inplace(0, 0)
      .inplace(1, 0)
      .pure();
}

inline Op& define_compare(Op& op, const char* doc, const Dtypes& types) {
  return op.doc(doc)
      .input("A", "T")
      .input("B", "T")
      .output("C", "T1")
      .types("T", types)
      .types("T1", {boolean})
      .infer([](Infer& c) { infer_broadcast(c, boolean); })
      .pure();
}

// ---- any number of inputs, folded pairwise (Sum, Max, Min, Mean) ----

template <class F, class T>
struct VariadicKernel {
  struct Plan {
    Broadcast<2> first;                // the first two inputs
    std::vector<Broadcast<1>> others;  // each of the rest, onto what stands in the output
  };
  Plan prepare(Prepare& p) const {
    const int count = p.info().input_count;
    const Dims out = p.output_dims(0);
    Plan plan{make_broadcast<2>({p.dims(0), p.dims(count > 1 ? 1 : 0)}, out), {}};
    for (int i = 2; i < count; ++i) plan.others.push_back(make_broadcast<1>({p.dims(i)}, out));
    return plan;
  }
  void run(Run& r) const {
    const auto& plan = r.plan<Plan>();
    T* y = r.out<T>(0);
    if (r.input_count() == 1) {
      std::copy(r.in<T>(0), r.in<T>(0) + r.input(0).numel(), y);
      return;
    }
    const T* a = r.in<T>(0);
    const T* b = r.in<T>(1);
    const int64_t sa = plan.first.steps[0].back(), sb = plan.first.steps[1].back();
    for_each_row(r, plan.first, [=](const std::array<int64_t, 2>& offsets, int64_t out, int64_t n) {
      BinaryKernel<F, T>::row(a + offsets[0], b + offsets[1], y + out, n, sa, sb);
    });
    for (int k = 2; k < r.input_count(); ++k) {
      const auto& loop = plan.others[static_cast<size_t>(k - 2)];
      const T* x = r.in<T>(k);
      const int64_t step = loop.steps[0].back();
      for_each_row(r, loop, [=](const std::array<int64_t, 1>& offsets, int64_t out, int64_t n) {
        BinaryKernel<F, T>::row(y + out, x + offsets[0], y + out, n, 1, step);
      });
    }
  }
};

template <class F, class... T>
Op& variadic_kernels(Op& op) {
  (op.kernel<VariadicKernel<F, T>>(cpu, dtype_of<T>), ...);
  return op;
}

inline Op& define_variadic(Op& op, const char* doc, const Dtypes& types, const char* input, const char* output) {
  return op.doc(doc)
      .input(input, "T", variadic, 1)
      .output(output, "T")
      .types("T", types)
      .infer([](Infer& c) { infer_broadcast(c, c.dtype(0)); })
      .pure();
}

// Integer arithmetic that wraps instead of being undefined.
template <class T>
OG_INLINE T wrap_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class T>
OG_INLINE T wrap_sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}
template <class T>
OG_INLINE T wrap_mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_POINTWISE_H_
