// IsNaN: whether each element is not a number.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Test {
  template <class T>
  static OG_INLINE bool apply(T x) {
    return x != x;
  }
};

// Half types by their bits: all exponent bits set and a mantissa.
struct TestHalf {
  static OG_INLINE bool apply(half_t x) { return (x.bits & 0x7fffu) > 0x7c00u; }
};
struct TestBfloat {
  static OG_INLINE bool apply(bfloat_t x) { return (x.bits & 0x7fffu) > 0x7f80u; }
};

OG_OP(IsNaN, "", 20) {
  op.doc("Whether each element is not a number.")
      .input("X", "T1")
      .output("Y", "T2")
      .types("T1", types::floats)
      .types("T2", {boolean})
      .infer([](Infer& c) {
        if (c.ranked(0))
          c.out(0, boolean, c.dims(0));
        else
          c.out(0, boolean);
      })
      .pure();
  unary_kernels<Test, float, double>(op);
  unary_kernels<TestHalf, half_t>(op);
  unary_kernels<TestBfloat, bfloat_t>(op);
}

}  // namespace
