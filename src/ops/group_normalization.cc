// GroupNormalization: groups of channels get mean 0 and variance 1, then a scale and a bias per channel.
#include <opgraft/normalization.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
void group_normalization(Run& r) {
  const Tensor input = r.input(0);
  const int64_t channels = input.dim(1), plane = input.product(2, input.ndim());
  const int64_t groups = r.get("num_groups", int64_t{1}), width = channels / groups;
  const T *x = r.in<T>(0), *scale = r.in<T>(1), *bias = r.in<T>(2);
  T* y = r.out<T>(0);
  const double epsilon = static_cast<double>(r.get("epsilon", 1e-5f));
  const int64_t size = width * plane;
  r.parallel_for(input.dim(0) * groups, 8192 / std::max<int64_t>(1, size) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const Moments moments = measure_moments(x + at * size, size, epsilon);
      for (int64_t i = 0; i < width; ++i) {
        const int64_t channel = at % groups * width + i;
        normalize_row(x + at * size + i * plane, plane, moments, scale[channel], bias[channel],
                      y + at * size + i * plane);
      }
    }
  });
}

OG_OP(GroupNormalization, "", 21) {
  op.doc("Normalizes groups of channels of each entry, with one scale and one bias per channel.")
      .input("X", "T")
      .input("scale", "T")
      .input("bias", "T")
      .output("Y", "T")
      .attr("epsilon", 1e-5f)
      .required_attr("num_groups", OG_ATTR_INT)
      .attr("stash_type", 1)
      .types("T", types::floats)
      .infer([](Infer& c) {
        c.same(0, 0);
        const int64_t groups = c.get("num_groups", int64_t{1});
        if (groups < 1) fail("num_groups = " + std::to_string(groups) + " must be at least 1");
        if (!c.ranked(0)) return;
        if (c.ndim(0) < 2) fail("X must have dims [N, C, ...], it has " + to_string(c.dims(0)));
        if (is_known(c.dim(0, 1)) && c.dim(0, 1) % groups != 0)
          fail(std::to_string(c.dim(0, 1)) + " channels do not divide into num_groups = " + std::to_string(groups));
        for (int i = 1; i < 3; ++i)
          if (c.ranked(i) &&
              (c.ndim(i) != 1 || (is_known(c.dim(i, 0)) && is_known(c.dim(0, 1)) && c.dim(i, 0) != c.dim(0, 1))))
            fail(std::string(i == 1 ? "scale" : "bias") + " has dims " + to_string(c.dims(i)) +
                 ", one value per channel of X " + to_string(c.dims(0)) + " is needed");
      })
      .inplace(0, 0)
      .pure()
      .kernels<float, double>(cpu, [](auto zero, Run& r) { group_normalization<decltype(zero)>(r); });
  // Version 18 had one scale and one bias per group.
  op.version(
      18,
      [](Op& old) {
        old.input("X", "T")
            .input("scale", "T")
            .input("bias", "T")
            .output("Y", "T")
            .attr("epsilon", 1e-5f)
            .required_attr("num_groups", OG_ATTR_INT)
            .types("T", types::floats);
      },
      [](Graph& g) {
        const int64_t groups = g.get("num_groups", int64_t{1});
        g.ints("column", {groups, 1});
        g.ints("flat", {-1});
        g.ints("one", {1});
        g.ints("groups", {groups});
        g.node("Shape", {"0"}, {"channels"}).attr("start", 1).attr("end", 2);
        g.node("Div", {"channels", "groups"}, {"width"});
        g.node("Concat", {"one", "width"}, {"wide"}).attr("axis", 0);
        for (const std::string name : {"1", "2"}) {
          g.node("Reshape", {name, "column"}, {"column_" + name});
          g.node("Tile", {"column_" + name, "wide"}, {"wide_" + name});
          g.node("Reshape", {"wide_" + name, "flat"}, {"all_" + name});
        }
        g.node("GroupNormalization", {"0", "all_1", "all_2"}, {"0"}).attr_from("epsilon").attr("num_groups", groups);
      });
}

}  // namespace
