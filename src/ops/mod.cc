// Mod: remainder of a / b, with the sign of b (fmod 0, integers) or of a (fmod 1).
#include <cmath>

#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

template <bool Truncated>
struct Remainder {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(a, b);
      if (!Truncated && rest == T(0)) return std::copysign(rest, b);
      return Truncated || rest == T(0) || (rest < T(0)) == (b < T(0)) ? rest : rest + b;
    } else {
      if (b == T(0)) return T(0);
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1)) return T(0);
      const T rest = static_cast<T>(a % b);
      return Truncated || rest == T(0) || (rest < T(0)) == (b < T(0)) ? rest : static_cast<T>(rest + b);
    }
  }
};

template <class T>
struct ModKernel {
  Broadcast<2> prepare(Prepare& p) const { return make_broadcast<2>({p.dims(0), p.dims(1)}, p.output_dims(0)); }
  void run(Run& r) const {
    if (r.get("fmod", 0))
      BinaryKernel<Remainder<true>, T>().run(r);
    else
      BinaryKernel<Remainder<false>, T>().run(r);
  }
};

template <class... T>
void add_kernels(Op& op) {
  (op.kernel<ModKernel<T>>(cpu, dtype_of<T>), ...);
}

OG_OP(Mod, "", 28) {
  define_binary(op, "The remainder of a division, with broadcasting.", types::numeric)
      .attr("fmod", 0)
      .infer([](Infer& c) { infer_broadcast(c, c.dtype(0)); });
  add_kernels<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  op.earlier(13).earlier(10, [](Op& o) { o.types("T", types::numeric_before_bfloat); });
}

}  // namespace
