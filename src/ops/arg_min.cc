// ArgMin: where the smallest element along an axis stands.
#include <opgraft/arg_extreme.h>
using namespace opgraft;
namespace {

OG_OP(ArgMin, "", 13) {
  define_arg_extreme<false>(op,
                            "The index of the smallest element along `axis`; of equal ones the first, or the last.");
}

}  // namespace
