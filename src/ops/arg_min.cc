// ArgMin: where the smallest element along an axis stands.
#include <opgraft/arg_extreme.h>
using namespace opgraft;
namespace {

OG_OP(ArgMin, "", 13) {
  define_arg_extreme<false>(op,
                            "The index of the smallest element along `axis`; of equal ones the first, or the last.");
  op.earlier(12, [](Op& o) { o.types("T", types::numeric_before_bfloat); })
      .earlier(11, [](Op& o) { o.drop("select_last_index"); })
      .earlier(1);
}

}  // namespace
