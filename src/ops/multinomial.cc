// Multinomial: classes drawn by their unnormalised log probabilities.
#include <algorithm>
#include <cmath>

#include <opgraft/random.h>
using namespace opgraft;
namespace {

OG_OP(Multinomial, "", 22) {
  op.doc("sample_size classes for each row of unnormalised log probabilities [batch, classes].")
      .input("input", "T1")
      .output("output", "T2")
      .attr("dtype", 6)
      .attr("sample_size", 1)
      .optional_attr("seed", OG_ATTR_FLOAT)
      .types("T1", types::floats)
      .types("T2", {i32, i64})
      .infer([](Infer& c) {
        const int64_t type = c.get("dtype", int64_t(i32)), count = c.get("sample_size", int64_t(1));
        if (type != i32 && type != i64) fail("dtype = " + std::to_string(type) + " must be int32 or int64");
        if (count < 0) fail("sample_size is " + std::to_string(count));
        if (c.ranked(0) && c.ndim(0) != 2) fail("input must have 2 axes, it has " + std::to_string(c.ndim(0)));
        c.out(0, static_cast<dtype>(type), Dims{c.ranked(0) ? c.dims(0)[0] : kUnknown, count});
      })
      .kernels<float, double>(
          cpu,
          [](auto zero, Run& r) {
            using T = decltype(zero);
            const Tensor x = r.input(0);
            const int64_t rows = x.dim(0), classes = x.dim(1), count = r.get("sample_size", int64_t(1));
            const Tensor y = r.output(0, {rows, count});
            if (classes == 0 && rows * count > 0) fail("there are no classes to draw from");
            auto generator = make_generator(r);
            std::uniform_real_distribution<double> numbers;
            std::vector<double> sums(static_cast<size_t>(classes));
            for (int64_t row = 0; row < rows; ++row) {
              const T* logits = x.data<T>() + row * classes;
              const T largest = *std::max_element(logits, logits + classes);
              double total = 0;
              for (int64_t k = 0; k < classes; ++k)
                sums[static_cast<size_t>(k)] = total += std::exp(static_cast<double>(logits[k] - largest));
              for (int64_t i = 0; i < count; ++i) {
                const double at = numbers(generator) * total;
                const auto found = std::upper_bound(sums.begin(), sums.end() - 1, at) - sums.begin();
                if (y.dtype() == i64)
                  y.data<int64_t>()[row * count + i] = found;
                else
                  y.data<int32_t>()[row * count + i] = static_cast<int32_t>(found);
              }
            }
          },
          "T1")
      .purity(Purity::random);
  op.earlier(7, [](Op& o) { o.types("T1", types::ieee); });
}

}  // namespace
