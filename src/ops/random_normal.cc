// RandomNormal: normally distributed random numbers.
#include <opgraft/random.h>
using namespace opgraft;
namespace {

OG_OP(RandomNormal, "", 22) {
  op.doc("Normally distributed random numbers in a tensor of `shape`.")
      .output("output", "T")
      .attr("dtype", 1)
      .attr("mean", 0.0f)
      .attr("scale", 1.0f)
      .optional_attr("seed", OG_ATTR_FLOAT)
      .required_attr("shape", OG_ATTR_INTS)
      .types("T", types::floats)
      .infer([](Infer& c) {
        if (c.get("scale", 1.0f) < 0) fail("scale is negative");
        c.out(0, random_type(c, f32), random_shape(c));
      })
      .kernel(cpu,
              [](Run& r) {
                auto generator = make_generator(r);
                std::normal_distribution<double> numbers(static_cast<double>(r.get("mean", 0.0f)),
                                                         static_cast<double>(r.get("scale", 1.0f)));
                fill_random(r.output(0, random_shape(r)), [&] { return numbers(generator); });
              })
      .purity(Purity::random);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
