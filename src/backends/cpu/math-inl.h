// Elementary functions on vectors of float, compiled once per instruction set. Polynomials are minimax fits.
// Errors are a few units in the last place; infinities, NaN and results below the normal range are right.
#if defined(OPGRAFT_BACKENDS_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPGRAFT_BACKENDS_CPU_MATH_INL_H_
#undef OPGRAFT_BACKENDS_CPU_MATH_INL_H_
#else
#define OPGRAFT_BACKENDS_CPU_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using I = hn::RebindToSigned<F>;
using V = hn::Vec<F>;

// NaN in x passes: x86 returns the second operand when one is NaN, elsewhere comparisons see to it.
template <class X>
HWY_INLINE X at_least(X x, X low) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Max(low, x);
#else
  return hn::IfThenElse(hn::Lt(x, low), low, x);
#endif
}
template <class X>
HWY_INLINE X at_most(X x, X high) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::Min(high, x);
#else
  return hn::IfThenElse(hn::Gt(x, high), high, x);
#endif
}
HWY_INLINE V nan_max(V x, V y) {
  const V larger = hn::IfThenElse(hn::Gt(y, x), y, x);  // keeps NaN of x
  return hn::IfThenElse(hn::Eq(y, y), larger, y);
}
HWY_INLINE V nan_min(V x, V y) {
  const V smaller = hn::IfThenElse(hn::Lt(y, x), y, x);
  return hn::IfThenElse(hn::Eq(y, y), smaller, y);
}

// 2^n for an integer n in [-126, 127].
HWY_INLINE V power_of_two(hn::Vec<I> n) { return hn::BitCast(F(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(I(), 127)))); }

// exp(r) for |r| <= ln(2) / 2.
HWY_INLINE V exp_reduced(V r) {
  const F d;
  V p = hn::Set(d, 1.991937757e-04f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.394722497e-03f));
  p = hn::MulAdd(p, r, hn::Set(d, 8.333262643e-03f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.166625375e-02f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.666666687e-01f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.000000083e-01f));
  return hn::MulAdd(hn::Mul(r, r), p, hn::Add(r, hn::Set(d, 1.0f)));
}

// x = n ln(2) + r; n is left in the low bits of the float that adding 1.5 * 2^23 rounds to, which costs no conversion.
struct Reduced {
  V r;
  hn::Vec<I> n;
};
HWY_INLINE Reduced reduce_for_exp(V x) {
  const F d;
  const I di;
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  const V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), x);
  return {hn::NegMulAdd(n, hn::Set(d, 1.42860677e-06f), r), hn::Sub(hn::BitCast(di, shifted), hn::Set(di, 0x4B400000))};
}

HWY_INLINE V vector_exp(V x) {
  const F d;
  const Reduced reduced = reduce_for_exp(at_most(at_least(x, hn::Set(d, -105.0f)), hn::Set(d, 89.0f)));
  // Two factors, because 2^n itself may lie outside of the normal range.
  const hn::Vec<I> half = hn::ShiftRight<1>(reduced.n);
  return hn::Mul(hn::Mul(exp_reduced(reduced.r), power_of_two(half)), power_of_two(hn::Sub(reduced.n, half)));
}

// exp for x <= 0: results below the normal range become 0.
HWY_INLINE V vector_exp_negative(V x) {
  const F d;
  const V lowest = hn::Set(d, -87.3f);
  const Reduced reduced = reduce_for_exp(at_least(x, lowest));
  const V y = hn::Mul(exp_reduced(reduced.r), power_of_two(reduced.n));
  return hn::IfThenZeroElse(hn::Lt(x, lowest), y);
}

HWY_INLINE V vector_log(V x) {
  const F d;
  const I di;
  const V smallest = hn::Set(d, 1.17549435e-38f);
  const auto tiny = hn::Lt(x, smallest);
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
  // Exponent such that the mantissa lies in [sqrt(1/2), sqrt(2)).
  const hn::Vec<I> bits = hn::Sub(hn::BitCast(di, scaled), hn::Set(di, 0x3F3504F3));
  const hn::Vec<I> exponent = hn::ShiftRight<23>(bits);
  const V mantissa = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x007FFFFF)), hn::Set(di, 0x3F3504F3)));
  const V e = hn::Add(hn::ConvertTo(d, exponent), hn::IfThenElseZero(tiny, hn::Set(d, -23.0f)));
  const V f = hn::Sub(mantissa, hn::Set(d, 1.0f));
  V p = hn::Set(d, 6.746601222e-02f);
  p = hn::MulAdd(p, f, hn::Set(d, -1.167564126e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.188817462e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.240559143e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.421955091e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.666799567e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.000211873e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, -2.500000960e-01f));
  p = hn::MulAdd(p, f, hn::Set(d, 3.333331260e-01f));
  const V f2 = hn::Mul(f, f);
  V y = hn::MulAdd(hn::Mul(f2, f), p, hn::Mul(e, hn::Set(d, 1.42860677e-06f)));
  y = hn::NegMulAdd(hn::Set(d, 0.5f), f2, y);
  y = hn::MulAdd(e, hn::Set(d, 0.693145752f), hn::Add(f, y));
  const V infinity = hn::BitCast(d, hn::Set(di, 0x7F800000));
  y = hn::IfThenElse(hn::Lt(x, infinity), y, x);  // inf and NaN
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), y);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::BitCast(d, hn::Set(di, 0x7FC00000)), y);
}

HWY_INLINE V vector_sigmoid(V x) {
  const F d;
  const V one = hn::Set(d, 1.0f);
  const V decay = vector_exp_negative(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), decay, one), hn::Add(one, decay));
}

// x P(x^2) / Q(x^2) up to 9, where tanh rounds to 1.
HWY_INLINE V vector_tanh(V x) {
  const F d;
  const V one = hn::Set(d, 1.0f);
  const V limit = hn::Set(d, 9.0f);
  const V inside = at_most(at_least(x, hn::Neg(limit)), limit);
  const V z = hn::Mul(inside, inside);
  V p = hn::Set(d, 1.331909642e-08f);
  V q = hn::Set(d, 7.762029837e-07f);
  p = hn::MulAdd(p, z, hn::Set(d, 2.058350013e-05f));
  q = hn::MulAdd(q, z, hn::Set(d, 3.283094754e-04f));
  p = hn::MulAdd(p, z, hn::Set(d, 3.494035745e-03f));
  q = hn::MulAdd(q, z, hn::Set(d, 2.587107774e-02f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.337971895e-01f));
  q = hn::MulAdd(q, z, hn::Set(d, 4.671303419e-01f));
  p = hn::MulAdd(p, z, one);
  q = hn::MulAdd(q, z, one);
  const V y = hn::Div(hn::Mul(inside, p), q);
  const V saturated = hn::IfThenElse(hn::Lt(hn::Abs(x), limit), y, hn::CopySign(one, x));
  const V bounded = at_most(at_least(saturated, hn::Neg(one)), one);
  return hn::IfThenElse(hn::Eq(x, x), bounded, x);
}

HWY_INLINE V vector_erf(V x) {
  const F d;
  const V one = hn::Set(d, 1.0f);
  const V magnitude = hn::Abs(x);
  const V z = hn::Mul(x, x);
  V p = hn::Set(d, -9.641516901e-06f);
  p = hn::MulAdd(p, z, hn::Set(d, 1.125694819e-04f));
  p = hn::MulAdd(p, z, hn::Set(d, -8.482828883e-04f));
  p = hn::MulAdd(p, z, hn::Set(d, 5.220945435e-03f));
  p = hn::MulAdd(p, z, hn::Set(d, -2.686540004e-02f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.128378197e-01f));
  p = hn::MulAdd(p, z, hn::Set(d, -3.761263843e-01f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.283791671e-01f));
  const V small = hn::MulAdd(x, p, x);
  // 1 - exp(-g), where g = -log(erfc).
  const V t = at_most(magnitude, hn::Set(d, 4.0f));
  V g = hn::Set(d, 2.168681301e-05f);
  g = hn::MulAdd(g, t, hn::Set(d, -4.413358908e-04f));
  g = hn::MulAdd(g, t, hn::Set(d, 4.204559184e-03f));
  g = hn::MulAdd(g, t, hn::Set(d, -2.520824863e-02f));
  g = hn::MulAdd(g, t, hn::Set(d, 1.084185629e-01f));
  g = hn::MulAdd(g, t, hn::Set(d, 6.332199081e-01f));
  g = hn::MulAdd(g, t, hn::Set(d, 1.129578416e+00f));
  g = hn::MulAdd(g, t, hn::Set(d, -1.880381682e-04f));
  const V large = hn::Sub(one, vector_exp_negative(hn::Neg(g)));
  return hn::IfThenElse(hn::Lt(magnitude, one), small, hn::CopySignToAbs(large, x));
}

HWY_INLINE V vector_gelu_erf(V x) {
  const F d;
  const V half = hn::Mul(x, hn::Set(d, 0.5f));
  return hn::MulAdd(half, vector_erf(hn::Mul(x, hn::Set(d, 0.707106781f))), half);
}

HWY_INLINE V vector_gelu_tanh(V x) {
  const F d;
  const V half = hn::Mul(x, hn::Set(d, 0.5f));
  const V cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), hn::Set(d, 0.044715f), x);
  return hn::MulAdd(half, vector_tanh(hn::Mul(cubic, hn::Set(d, 0.797884561f))), half);
}

// x * sigmoid(x); -inf gives -0 as the limit does.
HWY_INLINE V vector_silu(V x) {
  const F d;
  return hn::Mul(at_least(x, hn::Set(d, -3.4e38f)), vector_sigmoid(x));
}

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
