// Bernoulli: 1 with the probability that the input gives, else 0.
#include <opgraft/random.h>
using namespace opgraft;
namespace {

OG_OP(Bernoulli, "", 22) {
  op.doc("1 with the probability that each element gives, else 0.")
      .input("input", "T1")
      .output("output", "T2")
      .optional_attr("dtype", OG_ATTR_INT)
      .optional_attr("seed", OG_ATTR_FLOAT)
      .types("T1", types::floats)
      .types("T2", types::numeric + Dtypes{boolean})
      .infer([](Infer& c) {
        const int64_t given = c.get("dtype", int64_t(0));
        if (given && (!is_dtype(static_cast<int32_t>(given)) || dtype_bits(static_cast<int32_t>(given)) < 8))
          fail("dtype = " + std::to_string(given) + " is not a type that numbers can have");
        const dtype type = given ? static_cast<dtype>(given) : c.dtype(0);
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .body([](Graph& g) {  // a comparison with even numbers, then a conversion
        const auto given = static_cast<dtype>(g.get("dtype", int64_t(0)));
        const dtype type = given != any ? given : g.dtype(0);
        if (type == any) return false;
        g.node("Cast", {"input"}, {"chance"}).attr("to", int64_t(f64));
        g.node("RandomUniformLike", {"input"}, {"number"}).attr("dtype", int64_t(f64)).attr_from("seed");
        g.node("Less", {"number", "chance"}, {"hit"});
        g.node("Cast", {"hit"}, {"output"}).attr("to", int64_t(type));
        return true;
      })
      .purity(Purity::random);
  op.earlier(15, [](Op& o) { o.types("T1", types::ieee); });
}

}  // namespace
