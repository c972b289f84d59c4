// ReduceLogSumExp: the logarithm of the sum of e^x over some axes, shifted by the largest element.
#include <opgraft/reduce.h>
using namespace opgraft;
namespace {

// Not used: the body serves. It only completes the definition that reductions share.
struct Fold {
  static constexpr bool kCopyWhenNoop = true;
  template <class T>
  static T start() {
    return T(0);
  }
  template <class T>
  static T step(T sum, T) {
    return sum;
  }
  template <class T>
  static T join(T sum, T) {
    return sum;
  }
  template <class T>
  static T finish(T sum, int64_t) {
    return sum;
  }
};

OG_OP(ReduceLogSumExp, "", 28) {
  define_reduce<Fold>(op, "The logarithm of the sum of e^x over some axes.", types::floats, 18, types::high_precision);
  reduce_integers_before(op, 18);
  op.body([](Graph& g) {
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
  op.earlier(11, [](Op& o) { o.types("T", types::high_precision_before_bfloat); }).earlier(1);
}

}  // namespace
