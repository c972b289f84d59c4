// AffineGrid: sampling points of an affine transformation, for GridSample.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor theta = r.input(0);
  const auto size = r.input(1).integers();
  const int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  if (spatial != 2 && spatial != 3) fail("size must have 4 or 5 entries, it has " + std::to_string(size.size()));
  if (theta.shape() != Dims{size[0], spatial, spatial + 1})
    fail("theta " + to_string(theta.shape()) + " must be [" + std::to_string(size[0]) + ", " + std::to_string(spatial) +
         ", " + std::to_string(spatial + 1) + "]");
  const bool align = r.get("align_corners", 0);
  Dims dims{size[0]};
  for (int64_t i = 0; i < spatial; ++i) dims.push_back(size[static_cast<size_t>(i) + 2]);
  dims.push_back(spatial);
  T* y = r.output(0, dims).template data<T>();
  const auto coordinate = [&](int64_t index, int64_t count) {
    if (align) return count > 1 ? T(-1) + T(2) * static_cast<T>(index) / static_cast<T>(count - 1) : T(0);
    return (T(2) * static_cast<T>(index) + T(1)) / static_cast<T>(count) - T(1);
  };
  const int64_t d = spatial == 3 ? dims[1] : 1, h = dims[static_cast<size_t>(spatial) - 1],
                w = dims[static_cast<size_t>(spatial)];
  for (int64_t n = 0; n < size[0]; ++n) {
    const T* m = theta.data<T>() + n * spatial * (spatial + 1);
    for (int64_t k = 0; k < d; ++k)
      for (int64_t j = 0; j < h; ++j)
        for (int64_t i = 0; i < w; ++i) {
          const T point[4] = {coordinate(i, w), coordinate(j, h), spatial == 3 ? coordinate(k, d) : T(1), T(1)};
          for (int64_t row = 0; row < spatial; ++row) {
            T sum = 0;
            for (int64_t column = 0; column <= spatial; ++column)
              sum += m[row * (spatial + 1) + column] * point[column];
            *y++ = sum;
          }
        }
  }
}

OG_OP(AffineGrid, "", 20) {
  op.doc("The points x, y (, z) in [-1, 1] that each pixel of an image of `size` is taken from under `theta`.")
      .input("theta", "T1")
      .input("size", "T2")
      .output("grid", "T1")
      .attr("align_corners", 0)
      .types("T1", types::floats)
      .types("T2", {i64})
      .infer([](Infer& c) {
        const auto size = c.integers(1);
        if (!size) return c.out(0, c.dtype(0));
        if (size->size() != 4 && size->size() != 5)
          fail("size must have 4 or 5 entries, it has " + std::to_string(size->size()));
        Dims dims{(*size)[0]};
        dims.insert(dims.end(), size->begin() + 2, size->end());
        dims.push_back(static_cast<int64_t>(size->size()) - 2);
        c.out(0, c.dtype(0), dims);
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
}

}  // namespace
