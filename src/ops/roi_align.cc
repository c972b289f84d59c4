// RoiAlign: regions of an image sampled to a fixed size by bilinear interpolation.
// Source: He et al., "Mask R-CNN" (2017), and the ONNX specification for its conventions.
#include <algorithm>
#include <cmath>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

struct Sample {
  int64_t at[4];
  double weight[4];
};

// Where a point lies between four pixels; false outside of the image.
bool place(double y, double x, int64_t height, int64_t width, Sample* s) {
  if (!(y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width))) return false;
  const auto split = [](double v, int64_t size, int64_t* low, int64_t* high) {
    v = std::max(v, 0.0);
    *low = static_cast<int64_t>(v);
    if (*low >= size - 1) {
      *low = *high = size - 1;
      return 0.0;
    }
    *high = *low + 1;
    return v - static_cast<double>(*low);
  };
  int64_t y0, y1, x0, x1;
  const double ly = split(y, height, &y0, &y1), lx = split(x, width, &x0, &x1);
  *s = {{y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1},
        {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx}};
  return true;
}

bool choice(const Node& node, const char* name, const char* otherwise, const char* first, const char* second) {
  const std::string value = node.get(name, otherwise);
  if (value != first && value != second)
    fail(std::string(name) + " is \"" + value + "\", expected " + first + " or " + second);
  return value == first;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0), rois = r.input(1);
  const auto batches = r.input(2).integers();
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), count = rois.dim(0);
  const int64_t rows = r.get("output_height", int64_t(1)), columns = r.get("output_width", int64_t(1));
  const double scale = static_cast<double>(r.get("spatial_scale", 1.0f));
  const int64_t ratio = r.get("sampling_ratio", int64_t(0));
  const bool half = choice(r, "coordinate_transformation_mode", "half_pixel", "half_pixel", "output_half_pixel");
  const bool mean = choice(r, "mode", "avg", "avg", "max");
  if (static_cast<int64_t>(batches.size()) != count || rois.dim(1) != 4)
    fail("rois must be [R, 4] and batch_indices [R]");
  for (const int64_t b : batches)
    if (b < 0 || b >= x.dim(0))
      fail("batch index " + std::to_string(b) + " is not in [0, " + std::to_string(x.dim(0)) + ")");
  T* y = r.output(0, {count, channels, rows, columns}).template data<T>();
  const T* from = x.data<T>();
  const double offset = half ? 0.5 : 0.0;
  constexpr double kMostSamples = 4096;  // along one side of a bin
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 4; ++k)
      if (!std::isfinite(static_cast<double>(rois.data<T>()[i * 4 + k]))) fail("rois must be finite");
  r.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    std::vector<Sample> samples;
    std::vector<char> inside;
    for (int64_t i = begin; i < end; ++i) {
      const T* roi = rois.data<T>() + i * 4;
      const double left = static_cast<double>(roi[0]) * scale - offset,
                   top = static_cast<double>(roi[1]) * scale - offset;
      double w = static_cast<double>(roi[2]) * scale - offset - left,
             h = static_cast<double>(roi[3]) * scale - offset - top;
      if (!half) w = std::max(w, 1.0), h = std::max(h, 1.0);
      const double bin_h = h / static_cast<double>(rows), bin_w = w / static_cast<double>(columns);
      const auto side = [&](double bin) {
        return ratio > 0 ? std::min<int64_t>(ratio, static_cast<int64_t>(kMostSamples))
                         : static_cast<int64_t>(std::clamp(std::ceil(bin), 0.0, kMostSamples));
      };
      const int64_t gh = side(bin_h), gw = side(bin_w);
      const int64_t number = std::max<int64_t>(gh * gw, 1);
      for (int64_t p = 0; p < rows; ++p)
        for (int64_t q = 0; q < columns; ++q) {
          samples.clear();
          for (int64_t a = 0; a < gh; ++a)
            for (int64_t b = 0; b < gw; ++b) {
              Sample s{};
              const double sy = top + static_cast<double>(p) * bin_h +
                                (static_cast<double>(a) + 0.5) * bin_h / static_cast<double>(gh);
              const double sx = left + static_cast<double>(q) * bin_w +
                                (static_cast<double>(b) + 0.5) * bin_w / static_cast<double>(gw);
              if (!place(sy, sx, height, width, &s)) s = Sample{};
              samples.push_back(s);
            }
          for (int64_t c = 0; c < channels; ++c) {
            const T* plane = from + (batches[static_cast<size_t>(i)] * channels + c) * height * width;
            double sum = 0, largest = 0;
            for (size_t k = 0; k < samples.size(); ++k) {
              const Sample& s = samples[k];
              double top_product = -HUGE_VAL;
              for (int j = 0; j < 4; ++j) {
                const double product = s.weight[j] * static_cast<double>(plane[s.at[j]]);
                sum += product;
                top_product = std::max(top_product, product);
              }
              largest = k ? std::max(largest, top_product) : top_product;
            }
            y[((i * channels + c) * rows + p) * columns + q] =
                static_cast<T>(mean ? sum / static_cast<double>(number) : largest);
          }
        }
    }
  });
}

OG_OP(RoiAlign, "", 22) {
  op.doc("Regions of X [N, C, H, W], each sampled to output_height by output_width.")
      .input("X", "T1")
      .input("rois", "T1")
      .input("batch_indices", "T2")
      .output("Y", "T1")
      .attr("coordinate_transformation_mode", "half_pixel")
      .attr("mode", "avg")
      .attr("output_height", 1)
      .attr("output_width", 1)
      .attr("sampling_ratio", 0)
      .attr("spatial_scale", 1.0f)
      .types("T1", types::floats)
      .types("T2", {i64})
      .infer([](Infer& c) {
        choice(c, "coordinate_transformation_mode", "half_pixel", "half_pixel", "output_half_pixel");
        choice(c, "mode", "avg", "avg", "max");
        const int64_t rows = c.get("output_height", int64_t(1)), columns = c.get("output_width", int64_t(1));
        if (rows < 1 || columns < 1) fail("output_height and output_width must be at least 1");
        if (c.ranked(0) && c.ndim(0) != 4) fail("X must have 4 axes, it has " + std::to_string(c.ndim(0)));
        if (c.ranked(1) && c.ndim(1) != 2) fail("rois must have 2 axes, it has " + std::to_string(c.ndim(1)));
        const int64_t count = c.ranked(1) ? c.dims(1)[0] : c.ranked(2) ? c.dims(2)[0] : kUnknown;
        c.out(0, c.dtype(0), Dims{count, c.ranked(0) ? c.dims(0)[1] : kUnknown, rows, columns});
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(16, [](Op& o) { o.types("T1", types::ieee); })
      .earlier(
          10, [](Op& o) { o.drop("coordinate_transformation_mode"); },
          [](Graph& g) {
            g.node("RoiAlign", {"X", "rois", "batch_indices"}, {"Y"})
                .attr("coordinate_transformation_mode", "output_half_pixel")
                .attr_from("mode")
                .attr_from("output_height")
                .attr_from("output_width")
                .attr_from("sampling_ratio")
                .attr_from("spatial_scale");
          });
}

}  // namespace
