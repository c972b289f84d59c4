// ArgMax: where the largest element along an axis stands.
#include <opgraft/arg_extreme.h>
using namespace opgraft;
namespace {

OG_OP(ArgMax, "", 13) {
  define_arg_extreme<true>(op, "The index of the largest element along `axis`; of equal ones the first, or the last.");
}

}  // namespace
