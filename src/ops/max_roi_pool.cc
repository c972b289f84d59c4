// MaxRoiPool: the largest element of each cell of a region. Source: Girshick, "Fast R-CNN" (2015).
#include <algorithm>
#include <cmath>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0), rois = r.input(1);
  const auto shape = r.ints("pooled_shape");
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), count = rois.dim(0), rows = shape.at(0),
                columns = shape.at(1);
  if (rois.dim(1) != 5) fail("rois must be [R, 5], it is " + to_string(rois.shape()));
  const double scale = static_cast<double>(r.get("spatial_scale", 1.0f));
  T* y = r.output(0, {count, channels, rows, columns}).template data<T>();
  for (int64_t i = 0; i < count; ++i) {
    const T* roi = rois.data<T>() + i * 5;
    const double batch = static_cast<double>(roi[0]);
    if (!(batch >= 0 && batch < static_cast<double>(x.dim(0))))
      fail("batch index " + std::to_string(batch) + " is not in [0, " + std::to_string(x.dim(0)) + ")");
    double corner[4];
    for (int k = 0; k < 4; ++k) {
      corner[k] = std::round(static_cast<double>(roi[k + 1]) * scale);
      if (!(std::fabs(corner[k]) < 1e9)) fail("a corner of region " + std::to_string(i) + " is out of range");
    }
    const double bin_w = std::max(corner[2] - corner[0] + 1, 1.0) / static_cast<double>(columns);
    const double bin_h = std::max(corner[3] - corner[1] + 1, 1.0) / static_cast<double>(rows);
    const auto span = [](double first, double bin, int64_t index, int64_t size, int64_t* begin, int64_t* end) {
      *begin = std::clamp<int64_t>(static_cast<int64_t>(std::floor(static_cast<double>(index) * bin) + first), 0, size);
      *end =
          std::clamp<int64_t>(static_cast<int64_t>(std::ceil(static_cast<double>(index + 1) * bin) + first), 0, size);
    };
    for (int64_t c = 0; c < channels; ++c) {
      const T* plane = x.data<T>() + (static_cast<int64_t>(batch) * channels + c) * height * width;
      for (int64_t p = 0; p < rows; ++p)
        for (int64_t q = 0; q < columns; ++q, ++y) {
          int64_t top, bottom, left, right;
          span(corner[1], bin_h, p, height, &top, &bottom);
          span(corner[0], bin_w, q, width, &left, &right);
          *y = top < bottom && left < right ? plane[top * width + left] : T(0);
          for (int64_t a = top; a < bottom; ++a)
            for (int64_t b = left; b < right; ++b) *y = std::max(*y, plane[a * width + b]);
        }
    }
  }
}

OG_OP(MaxRoiPool, "", 22) {
  op.doc("The largest element of each of pooled_shape cells of regions [batch, x1, y1, x2, y2] of X [N, C, H, W].")
      .input("X", "T")
      .input("rois", "T")
      .output("Y", "T")
      .required_attr("pooled_shape", OG_ATTR_INTS)
      .attr("spatial_scale", 1.0f)
      .types("T", types::floats)
      .infer([](Infer& c) {
        const auto shape = c.ints("pooled_shape");
        if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) fail("pooled_shape must be two positive numbers");
        if (c.ranked(0) && c.ndim(0) != 4) fail("X must have 4 axes, it has " + std::to_string(c.ndim(0)));
        if (c.ranked(1) && c.ndim(1) != 2) fail("rois must have 2 axes, it has " + std::to_string(c.ndim(1)));
        c.out(0, c.dtype(0),
              Dims{c.ranked(1) ? c.dims(1)[0] : kUnknown, c.ranked(0) ? c.dims(0)[1] : kUnknown, shape[0], shape[1]});
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
