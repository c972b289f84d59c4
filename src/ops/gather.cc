// Gather: slices of the input picked by indices along one axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(Gather, "", 13) {
  op.doc("The slices of the input along `axis` that `indices` names; negative indices count from the end.")
      .input("data", "T")
      .input("indices", "Tind")
      .output("output", "T")
      .attr("axis", 0)
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        if (!c.ranked(0) || !c.ranked(1)) return c.out(0, c.dtype(0));
        const Dims data = c.dims(0), indices = c.dims(1);
        const auto axis = normalize_axis(c.get("axis", int64_t(0)), c.ndim(0));
        Dims out(data.begin(), data.begin() + axis);
        out.insert(out.end(), indices.begin(), indices.end());
        out.insert(out.end(), data.begin() + axis + 1, data.end());
        c.out(0, c.dtype(0), out);
        const auto values = c.integers(0), picks = c.known_integers(1);
        if (!values || !picks || data.size() != 1 || indices.size() > 1) return;
        std::vector<int64_t> result;
        for (int64_t pick : *picks) {
          const auto count = static_cast<int64_t>(values->size());
          if (pick < -count || pick >= count) return;
          result.push_back((*values)[static_cast<size_t>(pick < 0 ? pick + count : pick)]);
        }
        c.out_integers(0, result, indices.empty());
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), indices = r.input(1);
                const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
                Dims dims = x.shape();
                const Dims index_dims = indices.shape();
                dims.erase(dims.begin() + axis);
                dims.insert(dims.begin() + axis, index_dims.begin(), index_dims.end());
                const Tensor y = r.output(0, dims);
                const int64_t count = indices.numel(), outer = x.product(0, axis), row = x.product(axis + 1, x.ndim()),
                              size = x.dim(axis);
                std::vector<int64_t> places = indices.integers();
                for (auto& place : places) {
                  if (place < -size || place >= size)
                    fail("index " + std::to_string(place) + " is out of range for axis " + std::to_string(axis) +
                         " of size " + std::to_string(size));
                  if (place < 0) place += size;
                }
                if (x.dtype() == str) {
                  for (int64_t o = 0; o < outer; ++o)
                    for (int64_t i = 0; i < count; ++i)
                      for (int64_t j = 0; j < row; ++j)
                        r.set_string(0, (o * count + i) * row + j,
                                     r.string(0, (o * size + places[static_cast<size_t>(i)]) * row + j));
                  return;
                }
                const int64_t bytes = row * element_bytes(x);
                for (auto& place : places) place *= bytes;
                copy_picked_rows(r, y.data<char>(), x.data<char>(), outer, size * bytes, places, bytes);
              })
      .pure();
  op.earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); }).earlier(1);
}

}  // namespace
