// GatherND: slices of the input picked by index tuples.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(GatherND, "", 13) {
  op.doc("The slices of data that the tuples along the last axis of indices name, after `batch_dims` common axes.")
      .input("data", "T")
      .input("indices", "tensor(int64)")
      .output("output", "T")
      .attr("batch_dims", 0)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        if (!c.ranked(0) || !c.ranked(1)) return c.out(0, c.dtype(0));
        const Dims data = c.dims(0), indices = c.dims(1);
        if (indices.empty()) fail("indices must have at least rank 1");
        const int64_t width = indices.back(), batch = c.get("batch_dims", int64_t(0));
        if (is_symbol(width)) return c.out(0, c.dtype(0));
        if (batch < 0 || batch + width > c.ndim(0) || batch >= c.ndim(1) || width < 0)
          fail("tuples of " + std::to_string(width) + " indices after " + std::to_string(batch) +
               " batch axes do not fit data of rank " + std::to_string(data.size()));
        for (size_t i = 0; i < static_cast<size_t>(batch); ++i)
          if (is_known(data[i]) && is_known(indices[i]) && data[i] != indices[i])
            fail("batch dim " + std::to_string(i) + " is " + std::to_string(data[i]) + " in data and " +
                 std::to_string(indices[i]) + " in indices");
        Dims out(indices.begin(), indices.end() - 1);
        out.insert(out.end(), data.begin() + batch + width, data.end());
        c.out(0, c.dtype(0), out);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), indices = r.input(1);
                const int batch = r.get("batch_dims", 0);
                const int64_t width = indices.dim(-1);
                Dims dims = indices.shape();
                dims.pop_back();
                for (int i = batch + static_cast<int>(width); i < x.ndim(); ++i) dims.push_back(x.dim(i));
                const Tensor y = r.output(0, dims);
                const int64_t row = x.product(batch + static_cast<int>(width), x.ndim());
                const int64_t tuples = indices.product(0, indices.ndim() - 1);
                const int64_t batches = x.product(0, batch), per_batch = batches ? tuples / batches : 0,
                              batch_size = x.product(batch, x.ndim());
                const auto strides = row_major_strides(x.shape());
                std::vector<int64_t> places(static_cast<size_t>(tuples));
                for (int64_t t = 0; t < tuples; ++t) {
                  int64_t from = per_batch ? t / per_batch * batch_size : 0;
                  for (int64_t k = 0; k < width; ++k) {
                    const int64_t size = x.dim(batch + k);
                    const int64_t pick = indices.data<int64_t>()[t * width + k];
                    if (pick < -size || pick >= size)
                      fail("index " + std::to_string(pick) + " is out of range for axis " + std::to_string(batch + k) +
                           " of size " + std::to_string(size));
                    from += (pick < 0 ? pick + size : pick) * strides[static_cast<size_t>(batch + k)];
                  }
                  places[static_cast<size_t>(t)] = from;
                }
                if (x.dtype() == str) {
                  for (int64_t t = 0; t < tuples; ++t)
                    for (int64_t j = 0; j < row; ++j)
                      r.set_string(0, t * row + j, r.string(0, places[static_cast<size_t>(t)] + j));
                  return;
                }
                for (auto& place : places) place *= element_bytes(x);
                copy_picked_rows(r, y.data<char>(), x.data<char>(), 1, 0, places, row * element_bytes(x));
              })
      .pure();
  op.earlier(12, [](Op& o) { o.types("T", types::tensor_before_bfloat); }).earlier(11, [](Op& o) {
    o.drop("batch_dims");
  });
}

}  // namespace
