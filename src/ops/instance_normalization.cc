// InstanceNormalization: each channel of each image gets mean 0 and variance 1, then a scale and a bias.
#include <opgraft/normalization.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

// Planes of N * C; scale and bias per channel.
template <class T>
void instance_normalization(Run& r) {
  const Tensor input = r.input(0);
  const int64_t channels = input.dim(1), plane = input.product(2, input.ndim());
  const T *x = r.in<T>(0), *scale = r.in<T>(1), *bias = r.in<T>(2);
  T* y = r.out<T>(0);
  const double epsilon = static_cast<double>(r.get("epsilon", 1e-5f));
  r.parallel_for(input.dim(0) * channels, 8192 / std::max<int64_t>(1, plane) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const Moments moments = measure_moments(x + at * plane, plane, epsilon);
      normalize_row(x + at * plane, plane, moments, scale[at % channels], bias[at % channels], y + at * plane);
    }
  });
}

OG_OP(InstanceNormalization, "", 22) {
  op.doc(
        "Normalizes each channel of each entry over its spatial axes: scale * (x - mean) / sqrt(variance + epsilon) + "
        "B.")
      .input("input", "T")
      .input("scale", "T")
      .input("B", "T")
      .output("output", "T")
      .attr("epsilon", 1e-5f)
      .types("T", types::floats)
      .infer([](Infer& c) {
        c.same(0, 0);
        if (!c.ranked(0)) return;
        if (c.ndim(0) < 2) fail("input must have dims [N, C, ...], it has " + to_string(c.dims(0)));
        for (int i = 1; i < 3; ++i)
          if (c.ranked(i) &&
              (c.ndim(i) != 1 || (is_known(c.dim(i, 0)) && is_known(c.dim(0, 1)) && c.dim(i, 0) != c.dim(0, 1))))
            fail(std::string(i == 1 ? "scale" : "B") + " has dims " + to_string(c.dims(i)) +
                 ", one value per channel of input " + to_string(c.dims(0)) + " is needed");
      })
      .inplace(0, 0)
      .pure()
      .kernels<float, double>(cpu, [](auto zero, Run& r) { instance_normalization<decltype(zero)>(r); });
  op.earlier(6, [](Op& o) { o.types("T", types::ieee); }).earlier(1, [](Op& o) {
    o.optional_attr("consumed_inputs", OG_ATTR_INTS);
  });
}

}  // namespace
