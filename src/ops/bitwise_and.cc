// BitwiseAnd: c = a & b, bit by bit, with broadcasting.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

OG_OP(BitwiseAnd, "", 18) {
  define_binary(op, "The conjunction of the bits of two tensors.", types::integers).infer([](Infer& c) {
    infer_broadcast(c, c.dtype(0));
  });
  binary_kernels<Value, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
