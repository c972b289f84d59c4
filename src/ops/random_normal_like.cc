// RandomNormalLike: normally distributed random numbers in the shape of the input.
#include <opgraft/random.h>
using namespace opgraft;
namespace {

OG_OP(RandomNormalLike, "", 22) {
  op.doc("Normally distributed random numbers in the shape of the input.")
      .input("input", "T1")
      .output("output", "T2")
      .optional_attr("dtype", OG_ATTR_INT)
      .attr("mean", 0.0f)
      .attr("scale", 1.0f)
      .optional_attr("seed", OG_ATTR_FLOAT)
      .types("T1", types::tensor)
      .types("T2", types::floats)
      .infer([](Infer& c) {
        if (c.get("scale", 1.0f) < 0) fail("scale is negative");
        const dtype type = random_type(c, c.dtype(0));
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .kernel(cpu,
              [](Run& r) {
                auto generator = make_generator(r);
                std::normal_distribution<double> numbers(static_cast<double>(r.get("mean", 0.0f)),
                                                         static_cast<double>(r.get("scale", 1.0f)));
                fill_random(r.output(0, r.input(0).shape()), [&] { return numbers(generator); });
              })
      .purity(Purity::random);
  op.earlier(1, [](Op& o) { o.types("T1", types::tensor_before_bfloat).types("T2", types::ieee); });
}

}  // namespace
