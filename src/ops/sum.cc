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
  op.earlier(8, [](Op& o) { o.types("T", types::ieee); }).earlier(6).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
