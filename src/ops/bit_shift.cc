// BitShift: z = x << y or x >> y, with broadcasting. Right shifts of signed types copy the sign; a shift by a negative
// number, or by the width of the type or more, leaves what the sign alone gives.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

template <bool Left>
struct Shift {
  template <class T>
  static OG_INLINE T apply(T x, T y) {
    using U = std::make_unsigned_t<T>;
    constexpr U kBits = static_cast<U>(sizeof(T) * 8);
    const U by = static_cast<U>(y);
    const U within = static_cast<U>(by & (kBits - 1));
    const T shifted =
        Left ? static_cast<T>(static_cast<uint64_t>(static_cast<U>(x)) << within) : static_cast<T>(x >> within);
    const T outside = !Left && x < T(0) ? static_cast<T>(-1) : T(0);
    return by < kBits ? shifted : outside;
  }
};

bool to_left(const Node& node) {
  const std::string direction = node.get("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") fail("direction is \"" + direction + "\", expected LEFT or RIGHT");
  return direction == "LEFT";
}

template <class T>
struct Kernel {
  Broadcast<2> prepare(Prepare& p) const { return make_broadcast<2>({p.dims(0), p.dims(1)}, p.output_dims(0)); }
  void run(Run& r) const {
    if (to_left(r))
      BinaryKernel<Shift<true>, T>().run(r);
    else
      BinaryKernel<Shift<false>, T>().run(r);
  }
};

OG_OP(BitShift, "", 28) {
  op.doc("Bits of x moved by y places to the left or to the right.")
      .input("X", "T")
      .input("Y", "T")
      .output("Z", "T")
      .required_attr("direction", OG_ATTR_STRING)
      .types("T", types::integers)
      .infer([](Infer& c) {
        to_left(c);
        infer_broadcast(c, c.dtype(0));
      })
      .pure()
      .kernel<Kernel<int8_t>>(cpu, i8)
      .kernel<Kernel<int16_t>>(cpu, i16)
      .kernel<Kernel<int32_t>>(cpu, i32)
      .kernel<Kernel<int64_t>>(cpu, i64)
      .kernel<Kernel<uint8_t>>(cpu, u8)
      .kernel<Kernel<uint16_t>>(cpu, u16)
      .kernel<Kernel<uint32_t>>(cpu, u32)
      .kernel<Kernel<uint64_t>>(cpu, u64);
  op.earlier(11, [](Op& o) { o.types("T", {u8, u16, u32, u64}); });
}

}  // namespace
