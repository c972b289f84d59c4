// Sum: The sum of the inputs, element by element.
#include <opgraft/pointwise.h>
using namespace opgraft;
namespace {

struct Total {
  template <class T>
  static OG_INLINE T apply(T a, T b) {
    return a + b;
  }
};

OG_OP(Sum, "", 13) {
  define_variadic(op, "The sum of the inputs, element by element.", types::floats, "data_0", "sum");
  variadic_kernels<Total, float, double>(op);
}

}  // namespace
