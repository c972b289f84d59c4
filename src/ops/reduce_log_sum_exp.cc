// ReduceLogSumExp: the logarithm of the sum of e^x over some axes, shifted by the largest element.
#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

constexpr const char* kDoc = "The logarithm of the sum of e^x over some axes.";

OG_OP(ReduceLogSumExp, "", 28) {
  describe_reduce(op, kDoc, types::floats).body([](Graph& g) {
    if (g.dtype(0) == any) return false;
    const std::string axes = g.has(1) ? "axes" : "";
    const int64_t noop = g.get("noop_with_empty_axes", int64_t(0));
    g.node("ReduceMax", {"data", axes}, {"largest"}).attr("keepdims", 1).attr("noop_with_empty_axes", noop);
    g.node("IsInf", {"largest"}, {"endless"});
    g.scalar_like("zero", 0.0, 0);
    g.node("Where", {"endless", "zero", "largest"}, {"shift"});
    g.node("Sub", {"data", "shift"}, {"low"});
    g.node("Exp", {"low"}, {"powers"});
    g.node("ReduceSum", {"powers", axes}, {"sum"}).attr("keepdims", 1).attr("noop_with_empty_axes", noop);
    g.node("Log", {"sum"}, {"logarithm"});
    g.node("Add", {"logarithm", "shift"}, {"kept"});
    // The axes have one element each by now.
    g.node("ReduceSum", {"kept", axes}, {"reduced"})
        .attr("keepdims", g.get("keepdims", int64_t(1)))
        .attr("noop_with_empty_axes", noop);
    return true;
  });
}

namespace version_18 {

OG_OP(ReduceLogSumExp, "", 18) { define_reduce_with_integers(op, kDoc); }

}  // namespace version_18

}  // namespace
