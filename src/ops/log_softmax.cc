// LogSoftmax: the logarithm of Softmax, x - max(x) - log(sum(exp(x - max(x)))) along one axis.
#include <opgraft/softmax.h>
using namespace opgraft;
namespace {

OG_OP(LogSoftmax, "", 13) {
  define_softmax<true>(op, "The logarithm of the softmax along `axis`.");
  op.earlier(1);
}

}  // namespace
