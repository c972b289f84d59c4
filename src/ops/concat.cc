// Concat: tensors joined along one axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(Concat, "", 13) {
  op.doc("The inputs joined along `axis`; all other dims must agree.")
      .input("inputs", "T", variadic, 1)
      .output("concat_result", "T")
      .required_attr("axis", OG_ATTR_INT)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        Dims dims;
        bool ranked = true;
        for (int i = 0; i < c.input_count(); ++i) ranked = ranked && c.ranked(i);
        if (!ranked) return c.out(0, c.dtype(0));
        const auto axis = static_cast<size_t>(normalize_axis(c.get("axis", 0), c.ndim(0)));
        dims = c.dims(0);
        for (int i = 1; i < c.input_count(); ++i) {
          const Dims other = c.dims(i);
          if (other.size() != dims.size())
            fail("input " + std::to_string(i) + " has rank " + std::to_string(other.size()) + ", input 0 has rank " +
                 std::to_string(dims.size()));
          for (size_t d = 0; d < dims.size(); ++d) {
            if (d == axis)
              dims[d] = c.add(dims[d], other[d]);
            else if (is_symbol(dims[d]))
              dims[d] = other[d];
            else if (is_known(other[d]) && other[d] != dims[d])
              fail("dim " + std::to_string(d) + " of input " + std::to_string(i) + " is " + std::to_string(other[d]) +
                   ", that of input 0 is " + std::to_string(dims[d]));
          }
        }
        c.out(0, c.dtype(0), dims);
        std::vector<int64_t> joined;
        for (int i = 0; i < c.input_count(); ++i) {
          const auto values = c.integers(i);
          if (!values || c.ndim(i) != 1) return;
          joined.insert(joined.end(), values->begin(), values->end());
        }
        c.out_integers(0, joined);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor first = r.input(0);
                const int axis = static_cast<int>(normalize_axis(r.get("axis", 0), first.ndim()));
                Dims dims = first.shape();
                dims[static_cast<size_t>(axis)] = 0;
                for (int i = 0; i < r.input_count(); ++i) dims[static_cast<size_t>(axis)] += r.input(i).dim(axis);
                const Tensor y = r.output(0, dims);
                const int64_t outer = first.product(0, axis);
                const int64_t total = y.product(axis, y.ndim());
                int64_t begin = 0;
                for (int i = 0; i < r.input_count(); ++i) {
                  const Tensor x = r.input(i);
                  const int64_t row = x.product(axis, x.ndim());
                  if (x.dtype() == str) {
                    for (int64_t o = 0; o < outer; ++o)
                      for (int64_t j = 0; j < row; ++j)
                        r.set_string(0, o * total + begin + j, r.string(i, o * row + j));
                  } else {
                    const int64_t size = element_bytes(x);
                    copy_rows(r, y.data<char>() + begin * size, total * size, x.data<char>(), row * size, outer,
                              row * size);
                  }
                  begin += row;
                }
              })
      .version(
          11,
          [](Op& o) {
            o.input("inputs", "T", variadic, 1)
                .output("concat_result", "T")
                .required_attr("axis", OG_ATTR_INT)
                .types("T", types::tensor_before_bfloat);
          },
          [](Graph& g) {
            std::vector<std::string> names;
            for (int i = 0; i < g.info().input_count; ++i) names.push_back(std::to_string(i));
            g.node("Concat", names, {"0"}).attr_from("axis");
          })
      .pure();
  op.earlier(4).earlier(
      1, [](Op& o) { o.optional_attr("axis", OG_ATTR_INT).types("T", types::ieee); },
      [](Graph& g) {
        std::vector<std::string> inputs;
        for (int i = 0; g.has(i); ++i) inputs.push_back(std::to_string(i));
        g.node("Concat", inputs, {"concat_result"}).attr("axis", g.get("axis", int64_t(1)));
      });
}

}  // namespace
