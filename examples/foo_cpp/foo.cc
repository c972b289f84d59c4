// com.examples.Foo: returns a copy of its input. No kernel: the body serves every back end.
#include <opgraft/op.h>
using namespace opgraft;

OG_OP(Foo, "com.examples", 1) {
  op.doc("Returns a copy of its input.")
      .input("X", "T")
      .output("Y", "T")
      .types("T", {f32, i32, f16})
      .infer([](Infer& c) { c.same(0, 0); })
      .body([](Graph& g) {
        if (g.dtype(0) == any) return false;  // type unknown: no body yet
        g.node("Identity", {"X"}, {"Y"});
        return true;
      })
      .pure();
}
OG_PLUGIN("com.examples.foo", "1.0")
