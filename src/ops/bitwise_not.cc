// BitwiseNot: y = ~x.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Value {
  template <class T>
  static OG_INLINE T apply(T x) {
    return static_cast<T>(~x);
  }
};

OG_OP(BitwiseNot, "", 18) {
  define_unary(op, "Every bit of each element turned over.", types::integers, "X", "Y");
  unary_kernels<Value, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

}  // namespace
