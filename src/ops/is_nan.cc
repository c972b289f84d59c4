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

struct TestFloat8 {  // formats with infinities: NaN is above them; else all bits set; the "uz" formats: minus zero
  template <dtype Type>
  static void run(Run& r) {
    const uint8_t* x = r.in<uint8_t>(0);
    bool* y = r.out<bool>(0);
    for (int64_t i = 0; i < r.input(0).numel(); ++i)
      y[i] = Type == f8e5m2 ? (x[i] & 0x7f) > 0x7c : Type == f8e4m3fn ? (x[i] & 0x7f) == 0x7f : x[i] == 0x80;
  }
};

OG_OP(IsNaN, "", 20) {
  op.doc("Whether each element is not a number.")
      .input("X", "T1")
      .output("Y", "T2")
      .types("T1", types::floats + types::float8)
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
  op.kernel(cpu, f8e4m3fn, &TestFloat8::run<f8e4m3fn>);
  op.kernel(cpu, f8e4m3fnuz, &TestFloat8::run<f8e4m3fnuz>);
  op.kernel(cpu, f8e5m2, &TestFloat8::run<f8e5m2>);
  op.kernel(cpu, f8e5m2fnuz, &TestFloat8::run<f8e5m2fnuz>);
  op.earlier(13, [](Op& o) { o.types("T1", types::floats); }).earlier(9, [](Op& o) { o.types("T1", types::ieee); });
}

}  // namespace
