// RandomUniformLike: evenly distributed random numbers in the shape of the input.
#include <opgraft/random.h>
using namespace opgraft;
namespace {

OG_OP(RandomUniformLike, "", 22) {
  op.doc("Evenly distributed random numbers in the shape of the input.")
      .input("input", "T1")
      .output("output", "T2")
      .optional_attr("dtype", OG_ATTR_INT)
      .attr("high", 1.0f)
      .attr("low", 0.0f)
      .optional_attr("seed", OG_ATTR_FLOAT)
      .types("T1", types::tensor)
      .types("T2", types::floats)
      .infer([](Infer& c) {
        if (c.get("high", 1.0f) < c.get("low", 0.0f)) fail("high is below low");
        const dtype type = random_type(c, c.dtype(0));
        if (c.ranked(0))
          c.out(0, type, c.dims(0));
        else
          c.out(0, type);
      })
      .kernel(cpu,
              [](Run& r) {
                auto generator = make_generator(r);
                std::uniform_real_distribution<double> numbers(static_cast<double>(r.get("low", 0.0f)),
                                                               static_cast<double>(r.get("high", 1.0f)));
                fill_random(r.output(0, r.input(0).shape()), [&] { return numbers(generator); });
              })
      .purity(Purity::random);
  op.earlier(1, [](Op& o) { o.types("T1", types::tensor_before_bfloat).types("T2", types::ieee); });
}

}  // namespace
