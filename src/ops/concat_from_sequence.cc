// ConcatFromSequence: the elements of a sequence joined along an axis, or stacked along a new one.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

OG_OP(ConcatFromSequence, "", 11) {
  op.doc("The elements of the sequence joined along `axis`; stacked along a new axis with new_axis 1.")
      .input("input_sequence", "S")
      .output("concat_result", "T")
      .required_attr("axis", OG_ATTR_INT)
      .attr("new_axis", 0)
      .type_strings("S", types::sequences)
      .types("T", types::tensor_before_bfloat)
      .infer([](Infer& c) {
        const og_type element = element_type(c, 0);
        if (element.kind == OG_ABSENT) return;
        const auto type = static_cast<dtype>(element.dtype);
        if (element.ndim < 0) return c.out(0, type);
        Dims dims(element.dims, element.dims + element.ndim);
        const bool fresh = c.get("new_axis", 0);
        const auto axis = normalize_axis(c.get("axis", int64_t(0)), element.ndim + (fresh ? 1 : 0));
        if (fresh)
          dims.insert(dims.begin() + axis, kUnknown);
        else
          dims[static_cast<size_t>(axis)] = kUnknown;
        c.out(0, type, dims);
      })
      .kernel(cpu,
              [](Run& r) {
                const int64_t count = r.item_count(0);
                if (count == 0) fail("an empty sequence has nothing to join");
                const bool fresh = r.get("new_axis", 0);
                std::vector<og_value> items;
                for (int64_t i = 0; i < count; ++i) items.push_back(r.item(0, i));
                Dims dims = Tensor(items[0]).shape();
                const auto axis =
                    normalize_axis(r.get("axis", int64_t(0)), static_cast<int64_t>(dims.size()) + (fresh ? 1 : 0));
                int64_t total = 0;
                for (const og_value& item : items) {
                  const Tensor tensor(item);
                  Dims mine = tensor.shape();
                  if (mine.size() == dims.size() && !fresh)
                    total += mine[static_cast<size_t>(axis)],
                        mine[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
                  if (mine != dims || tensor.dtype() != Tensor(items[0]).dtype())
                    fail("elements " + to_string(Tensor(items[0]).shape()) + " and " + to_string(tensor.shape()) +
                         " cannot be joined");
                }
                if (fresh)
                  dims.insert(dims.begin() + axis, count);
                else
                  dims[static_cast<size_t>(axis)] = total;
                const Tensor y = r.output(0, dims);
                const int64_t inner = y.product(static_cast<int>(axis) + 1, y.ndim()),
                              outer = y.product(0, static_cast<int>(axis));
                const int64_t whole = dims[static_cast<size_t>(axis)] * inner;
                int64_t begin = 0;
                for (const og_value& item : items) {
                  const Tensor tensor(item);
                  const int64_t row = fresh ? inner : tensor.dim(static_cast<int>(axis)) * inner;
                  if (y.dtype() == str) {
                    for (int64_t o = 0; o < outer; ++o)
                      for (int64_t j = 0; j < row; ++j) {
                        og_string text{};
                        detail::check(detail::host->value_string(&item, o * row + j, &text));
                        r.set_string(0, o * whole + begin + j, {text.data, static_cast<size_t>(text.length)});
                      }
                  } else {
                    const int64_t bytes = element_bytes(y);
                    copy_rows(r, y.data<char>() + begin * bytes, whole * bytes, tensor.data<char>(), row * bytes, outer,
                              row * bytes);
                  }
                  begin += row;
                }
              })
      .pure();
}

}  // namespace
