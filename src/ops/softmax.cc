// Softmax: exp(x - max(x)) / sum(exp(x - max(x))) along one axis.
#include <opgraft/softmax.h>
using namespace opgraft;
namespace {

OG_OP(Softmax, "", 13) {
  define_softmax<false>(op, "e^x divided by its sum along `axis`.");
  op.earlier(1);
}

}  // namespace
