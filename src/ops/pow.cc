// Pow: c = a to the power b, with broadcasting; the result has the type of a.
#include <cmath>
#include <limits>

#include <opgraft/broadcast.h>
#include <opgraft/op.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

template <class T, class E>
T power(T base, E exponent) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<E>) {
    if (exponent < E(0))
      return base == T(1) ? T(1) : base == static_cast<T>(-1) ? (exponent % 2 ? static_cast<T>(-1) : T(1)) : T(0);
    uint64_t result = 1, factor = static_cast<uint64_t>(base);
    for (auto left = static_cast<uint64_t>(exponent); left; left >>= 1, factor *= factor)
      if (left & 1) result *= factor;
    return static_cast<T>(result);
  } else if constexpr (std::is_same_v<T, float> && std::is_same_v<E, float>) {
    return std::pow(base, exponent);
  } else {
    return static_cast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
}

// Exponents that need no call of pow; false = not one of them.
template <class T>
bool common_power(const T* x, double exponent, T* y, int64_t n) {
  if (exponent != 1 && exponent != 2 && exponent != 3 && exponent != 0.5 && exponent != -1) return false;
  vectorize([=]() OG_SIMD {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    if (exponent == 2)
      for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
    else if (exponent == 3)
      for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
    else if (exponent == 1)
      for (int64_t i = 0; i < n; ++i) y[i] = x[i];
    else if (exponent == -1)
      for (int64_t i = 0; i < n; ++i) y[i] = T(1) / x[i];
    else  // pow(-0, 0.5) is +0 and pow(-inf, 0.5) is inf, unlike the root
      for (int64_t i = 0; i < n; ++i) {
        const T root = std::sqrt(x[i] + T(0));
        y[i] = x[i] == -kInfinity ? kInfinity : root;
      }
  });
  return true;
}

template <class T, class E>
void run(Run& r) {
  const auto& loop = r.plan<Broadcast<2>>();
  const T* a = r.in<T>(0);
  const E* b = r.in<E>(1);
  T* y = r.out<T>(0);
  const int64_t sa = loop.steps[0].back(), sb = loop.steps[1].back();
  for_each_row(r, loop, [=](const std::array<int64_t, 2>& offsets, int64_t out, int64_t n) {
    const T* base = a + offsets[0];
    const E* exponent = b + offsets[1];
    T* to = y + out;
    if constexpr (std::is_floating_point_v<T>)
      if (sb == 0 && sa == 1 && common_power(base, static_cast<double>(*exponent), to, n)) return;
    for (int64_t i = 0; i < n; ++i) to[i] = power(base[i * sa], exponent[i * sb]);
  });
}

template <class T>
struct Kernel {
  Broadcast<2> prepare(Prepare& p) const { return make_broadcast<2>({p.dims(0), p.dims(1)}, p.output_dims(0)); }
  void run(Run& r) const {
    switch (r.dtype(1)) {
      case f32:
        return ::run<T, float>(r);
      case f64:
        return ::run<T, double>(r);
      case f16:
        return ::run<T, half_t>(r);
      case bf16:
        return ::run<T, bfloat_t>(r);
      case i8:
        return ::run<T, int8_t>(r);
      case i16:
        return ::run<T, int16_t>(r);
      case i32:
        return ::run<T, int32_t>(r);
      case i64:
        return ::run<T, int64_t>(r);
      case u8:
        return ::run<T, uint8_t>(r);
      case u16:
        return ::run<T, uint16_t>(r);
      case u32:
        return ::run<T, uint32_t>(r);
      case u64:
        return ::run<T, uint64_t>(r);
      default:
        fail(std::string("exponents of type ") + dtype_name(r.dtype(1)) + " are not supported");
    }
  }
};

OG_OP(Pow, "", 15) {
  op.doc("X to the power Y, element by element.")
      .input("X", "T")
      .input("Y", "T1")
      .output("Z", "T")
      .types("T", {i32, i64, f16, f32, f64, bf16})
      .types("T1", types::numeric)
      .infer([](Infer& c) { infer_broadcast(c, c.dtype(0)); })
      .inplace(0, 0)
      .pure();
  op.kernel<Kernel<float>>(cpu, f32);
  op.kernel<Kernel<double>>(cpu, f64);
  op.kernel<Kernel<int32_t>>(cpu, i32);
  op.kernel<Kernel<int64_t>>(cpu, i64);
  op.earlier(13, [](Op& o) { o.types("T1", types::numeric_before_bfloat); })
      .earlier(12,
               [](Op& o) {
                 o.types("T", types::ieee + Dtypes{i32, i64});
               })
      .earlier(7, [](Op& o) { o.drop("T1").input("Y", "T").types("T", types::ieee); })
      .earlier(
          1, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).attr("broadcast", 0); }, &raise_old_broadcast);
}

}  // namespace
