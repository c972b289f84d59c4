// Split: a tensor cut along one axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// Sizes of the parts: given, or equal; only num_outputs allows a smaller last one.
std::vector<int64_t> parts(const Node& node, const std::optional<std::vector<int64_t>>& given, int64_t dim,
                           int64_t count) {
  std::vector<int64_t> sizes;
  if (given) {
    int64_t total = 0;
    for (int64_t size : *given) {
      if (size < 0) fail("split holds the negative size " + std::to_string(size));
      total += size;
    }
    if (total != dim)
      fail("split adds up to " + std::to_string(total) + ", the axis has " + std::to_string(dim) + " elements");
    if (static_cast<int64_t>(given->size()) != count)
      fail("split has " + std::to_string(given->size()) + " entries for " + std::to_string(count) + " outputs");
    return *given;
  }
  if (count <= 0) fail("there are no outputs");
  const int64_t size = (dim + count - 1) / count, last = dim - size * (count - 1);
  if (last < 0 || (last != size && !node.has_attr("num_outputs")))
    fail("an axis of " + std::to_string(dim) + " elements cannot be split evenly into " + std::to_string(count) +
         " parts; give the sizes by `split`");
  sizes.assign(static_cast<size_t>(count), size);
  sizes.back() = last;
  return sizes;
}

int64_t symbolic_part(const Infer& c, int64_t dim, int index, int count) {
  const int64_t size = c.has_attr("num_outputs") ? c.ceil_div(dim, count) : c.floor_div(dim, count);
  return index + 1 < count || !c.has_attr("num_outputs") ? size : c.sub(dim, c.mul(size, count - 1));
}

OG_OP(Split, "", 18) {
  op.doc("The input cut along `axis` into parts of the sizes in `split`, or into equal ones.")
      .input("input", "T")
      .input("split", "tensor(int64)", optional)
      .output("outputs", "T", variadic, 1)
      .attr("axis", 0)
      .optional_attr("num_outputs", OG_ATTR_INT)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        const int count = c.output_count();
        if (const auto wanted = c.find("num_outputs"); wanted && wanted->ints[0] != count)
          fail("num_outputs = " + std::to_string(wanted->ints[0]) + ", the node has " + std::to_string(count) +
               " outputs");
        const auto sizes = c.has(1) ? c.known_integers(1) : std::nullopt;
        const auto axis = c.ranked(0) ? static_cast<size_t>(normalize_axis(c.get("axis", 0), c.ndim(0))) : size_t(0);
        for (int i = 0; i < count; ++i) {
          if (!c.ranked(0)) {
            c.out(i, c.dtype(0));
            continue;
          }
          Dims dims = c.dims(0);
          if (c.has(1) && !sizes)
            dims[axis] = kUnknown;
          else if (sizes && static_cast<int>(sizes->size()) > i && is_symbol(dims[axis]))
            dims[axis] = (*sizes)[static_cast<size_t>(i)];
          else if (is_known(dims[axis]))
            dims[axis] = parts(c, sizes, dims[axis], count)[static_cast<size_t>(i)];
          else
            dims[axis] = symbolic_part(c, dims[axis], i, count);
          c.out(i, c.dtype(0), dims);
        }
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const int axis = static_cast<int>(normalize_axis(r.get("axis", 0), x.ndim()));
                const auto given = r.has(1) ? std::optional(r.input(1).integers()) : std::nullopt;
                const auto sizes = parts(r, given, x.dim(axis), r.output_count());
                const int64_t outer = x.product(0, axis), after = x.product(axis + 1, x.ndim()),
                              total = x.dim(axis) * after;
                int64_t begin = 0;
                for (int i = 0; i < r.output_count(); ++i) {
                  const int64_t row = sizes[static_cast<size_t>(i)] * after;
                  if (r.uses_output(i)) {
                    Dims dims = x.shape();
                    dims[static_cast<size_t>(axis)] = sizes[static_cast<size_t>(i)];
                    const Tensor y = r.output(i, dims);
                    if (x.dtype() == str) {
                      for (int64_t o = 0; o < outer; ++o)
                        for (int64_t j = 0; j < row; ++j)
                          r.set_string(i, o * row + j, r.string(0, o * total + begin + j));
                    } else {
                      const int64_t size = element_bytes(x);
                      copy_rows(r, y.data<char>(), row * size, x.data<char>() + begin * size, total * size, outer,
                                row * size);
                    }
                  }
                  begin += row;
                }
              })
      .version(
          13,
          [](Op& o) {
            o.input("input", "T")
                .input("split", "tensor(int64)", optional)
                .output("outputs", "T", variadic, 1)
                .attr("axis", 0)
                .types("T", types::tensor);
          },
          [](Graph& g) {
            std::vector<std::string> outputs;
            for (int i = 0; i < g.info().output_count; ++i)
              outputs.push_back(g.uses_output(i) ? std::to_string(i) : "");
            auto node = g.node("Split", {"input", "split"}, outputs);
            node.attr_from("axis");
          })
      .version(
          11,
          [](Op& o) {
            o.input("input", "T")
                .output("outputs", "T", variadic, 1)
                .attr("axis", 0)
                .optional_attr("split", OG_ATTR_INTS)
                .types("T", types::tensor_before_bfloat);
          },
          [](Graph& g) {
            std::vector<std::string> outputs;
            for (int i = 0; i < g.info().output_count; ++i)
              outputs.push_back(g.uses_output(i) ? std::to_string(i) : "");
            const bool sizes = g.has_attr("split");
            if (sizes) g.ints("sizes", g.Node::ints("split"));
            g.node("Split", {"input", sizes ? "sizes" : ""}, outputs).attr_from("axis");
          })
      .pure();
  op.earlier(2).version(
      1,
      [](Op& o) {
        o.input("input", "T")
            .input("split", "T", optional)
            .output("outputs...", "T", variadic)
            .optional_attr("axis", OG_ATTR_INT)
            .optional_attr("split", OG_ATTR_INTS)
            .types("T", types::ieee);
      },
      [](Graph& g) {
        std::vector<std::string> outputs;
        for (int i = 0; i < g.info().output_count; ++i) outputs.push_back(std::to_string(i));
        const bool listed = g.has_attr("split"), fed = !listed && g.has(1);
        if (listed) g.ints("sizes", g.Node::ints("split"));
        if (fed) g.node("Cast", {"1"}, {"sizes"}).attr("to", int64_t(i64));
        g.node("Split", {"0", listed || fed ? "sizes" : ""}, outputs).attr_from("axis");
      });
}

}  // namespace
