// CenterCropPad: the middle of the input, cut or padded with zeros to a given shape.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(CenterCropPad, "", 18) {
  op.doc("The input cut, or padded with zeros, on both sides alike to `shape` along `axes`.")
      .input("input_data", "T")
      .input("shape", "Tind")
      .output("output_data", "T")
      .optional_attr("axes", OG_ATTR_INTS)
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer([](Infer& c) {
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        Dims dims = c.dims(0);
        std::vector<int64_t> axes;
        if (c.has_attr("axes")) {
          axes = normalize_axes(c.ints("axes"), c.ndim(0));
        } else {
          for (int i = 0; i < c.ndim(0); ++i) axes.push_back(i);
        }
        const auto shape = c.integers(1);
        if (shape && shape->size() != axes.size())
          fail("shape has " + std::to_string(shape->size()) + " entries for " + std::to_string(axes.size()) + " axes");
        for (size_t i = 0; i < axes.size(); ++i) dims[static_cast<size_t>(axes[i])] = shape ? (*shape)[i] : kUnknown;
        c.out(0, c.dtype(0), dims);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const auto shape = r.input(1).integers();
                std::vector<int64_t> axes;
                if (r.has_attr("axes")) {
                  axes = normalize_axes(r.ints("axes"), x.ndim());
                } else {
                  for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
                }
                if (shape.size() != axes.size())
                  fail("shape has " + std::to_string(shape.size()) + " entries for " + std::to_string(axes.size()) +
                       " axes");
                Dims dims = x.shape();
                for (size_t i = 0; i < axes.size(); ++i) {
                  if (shape[i] < 0) fail("shape has the negative entry " + std::to_string(shape[i]));
                  dims[static_cast<size_t>(axes[i])] = shape[i];
                }
                const Tensor y = r.output(0, dims);
                const bool text = x.dtype() == str;
                if (!text && y.bytes()) std::memset(y.data(), 0, y.bytes());
                // The part that both have, and where it begins in each.
                Dims common = dims;
                const auto in = row_major_strides(x.shape()), out = row_major_strides(dims);
                int64_t from = 0, to = 0;
                for (size_t i = 0; i < dims.size(); ++i) {
                  const int64_t had = x.dim(static_cast<int>(i)), has = dims[i];
                  common[i] = std::min(had, has);
                  if (had > has) from += (had - has) / 2 * in[i];
                  if (has > had) to += (has - had) / 2 * out[i];
                  if (common[i] == 0) return;
                }
                if (dims.empty()) common.clear();
                int64_t rows = 1;
                for (size_t i = 0; i + 1 < common.size(); ++i) rows *= common[i];
                const int64_t row = common.empty() ? 1 : common.back();
                const int64_t bytes = text ? 0 : element_bytes(x);
                std::vector<int64_t> at(common.size(), 0);
                for (int64_t k = 0; k < rows; ++k) {
                  int64_t source = from, target = to;
                  for (size_t i = 0; i + 1 < common.size(); ++i) source += at[i] * in[i], target += at[i] * out[i];
                  if (text)
                    for (int64_t j = 0; j < row; ++j) r.set_string(0, target + j, r.string(0, source + j));
                  else
                    std::memcpy(y.data<char>() + target * bytes, x.data<char>() + source * bytes,
                                static_cast<size_t>(row * bytes));
                  for (size_t i = common.size() < 2 ? 0 : common.size() - 1; i-- > 0;) {
                    if (++at[i] < common[i]) break;
                    at[i] = 0;
                  }
                }
              })
      .pure();
}

}  // namespace
