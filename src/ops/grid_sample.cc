// GridSample: an image sampled at given points. Source of the formulas: the ONNX specification.
#include <cmath>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

enum class Mode { linear, nearest, cubic };
enum class Padding { zeros, border, reflection };

Mode mode_of(const Node& node) {
  const std::string name = node.get("mode", "linear");
  if (name == "linear" || name == "bilinear") return Mode::linear;
  if (name == "nearest") return Mode::nearest;
  if (name == "cubic" || name == "bicubic") return Mode::cubic;
  fail("mode is \"" + name + "\", expected linear, nearest or cubic");
}
Padding padding_of(const Node& node) {
  const std::string name = node.get("padding_mode", "zeros");
  if (name == "zeros") return Padding::zeros;
  if (name == "border") return Padding::border;
  if (name == "reflection") return Padding::reflection;
  fail("padding_mode is \"" + name + "\", expected zeros, border or reflection");
}

double reflect(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double beyond = x < low ? low - x : x > high ? x - high : -1;
  if (beyond < 0) return x;
  const double turns = std::floor(beyond / range), rest = beyond - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

struct Axis {
  int64_t size, step;
  double low, high;
};

struct Sampler {
  std::vector<Axis> axes;  // as the image has them
  Mode mode;
  Padding padding;
  bool align;

  // The index of a pixel along an axis; -1 = zero.
  int64_t index(const Axis& axis, int64_t i) const {
    if (i >= 0 && i < axis.size) return i;
    if (padding == Padding::zeros) return -1;
    if (padding == Padding::border) return std::clamp<int64_t>(i, 0, axis.size - 1);
    return std::clamp<int64_t>(static_cast<int64_t>(reflect(static_cast<double>(i), axis.low, axis.high)), 0,
                               axis.size - 1);
  }
  double position(const Axis& axis, double x) const {
    const auto size = static_cast<double>(axis.size);
    double at = align ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
    if (mode == Mode::nearest) at = std::nearbyint(at);
    if (!(at >= -1e9 && at <= 1e9)) at = at > 0 ? 1e9 : -1e9;  // also NaN
    if (at < axis.low || at > axis.high) {
      if (padding == Padding::border) at = std::clamp(at, 0.0, size - 1);
      if (padding == Padding::reflection) at = reflect(at, axis.low, axis.high);
    }
    return at;
  }
  // Indices and weights along one axis.
  int taps(const Axis& axis, double at, int64_t* indices, double* weights) const {
    if (mode == Mode::nearest) {
      indices[0] = index(axis, static_cast<int64_t>(at));
      weights[0] = 1;
      return 1;
    }
    const double whole = std::floor(at), t = at - whole;
    const auto first = static_cast<int64_t>(whole);
    if (mode == Mode::linear) {
      indices[0] = index(axis, first), indices[1] = index(axis, first + 1);
      weights[0] = 1 - t, weights[1] = t;
      return 2;
    }
    constexpr double kA = -0.75;
    const auto near = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
    const auto far = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
    for (int k = 0; k < 4; ++k) indices[k] = index(axis, first - 1 + k);
    weights[0] = far(t + 1), weights[1] = near(t), weights[2] = near(1 - t), weights[3] = far(2 - t);
    return 4;
  }
};

template <class T, class G>
void run(Run& r) {
  const Tensor x = r.input(0), grid = r.input(1);
  const int spatial = x.ndim() - 2;
  if (spatial < 1 || spatial > 3) fail("X must have 1 to 3 spatial axes, it has " + std::to_string(spatial));
  if (grid.ndim() != x.ndim() || grid.dim(-1) != spatial || grid.dim(0) != x.dim(0))
    fail("grid " + to_string(grid.shape()) + " does not fit X " + to_string(x.shape()));
  Sampler s{{}, mode_of(r), padding_of(r), r.get("align_corners", 0) != 0};
  int64_t plane = 1;
  for (int i = spatial; i-- > 0;) {
    const int64_t size = x.dim(i + 2);
    s.axes.insert(s.axes.begin(), Axis{size, plane, s.align ? 0.0 : -0.5,
                                       s.align ? static_cast<double>(size - 1) : static_cast<double>(size) - 0.5});
    plane *= size;
  }
  Dims dims{x.dim(0), x.dim(1)};
  for (int i = 1; i <= spatial; ++i) dims.push_back(grid.dim(i));
  const Tensor y = r.output(0, dims);
  if (y.numel() == 0) return;
  if (plane == 0) fail("X has an empty spatial axis");
  const int64_t points = y.product(2, y.ndim()), channels = x.dim(1);
  r.parallel_for(x.dim(0) * points, std::max<int64_t>(1, 4096 / channels), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t n = item / points, point = item % points;
      const G* at = grid.data<G>() + item * spatial;
      int64_t indices[3][4];
      double weights[3][4];
      int counts[3] = {1, 1, 1};
      for (int i = 0; i < spatial; ++i) {
        const auto& axis = s.axes[static_cast<size_t>(i)];
        counts[i] = s.taps(axis, s.position(axis, static_cast<double>(at[spatial - 1 - i])), indices[i], weights[i]);
      }
      for (int i = spatial; i < 3; ++i) indices[i][0] = 0, weights[i][0] = 1;
      for (int64_t c = 0; c < channels; ++c) {
        const T* from = x.data<T>() + (n * channels + c) * plane;
        double sum = 0;
        T nearest = T(0);
        for (int a = 0; a < counts[0]; ++a)
          for (int b = 0; b < counts[1]; ++b)
            for (int d = 0; d < counts[2]; ++d) {
              if (indices[0][a] < 0 || indices[1][b] < 0 || indices[2][d] < 0) continue;
              int64_t offset = indices[0][a] * s.axes[0].step;
              if (spatial > 1) offset += indices[1][b] * s.axes[1].step;
              if (spatial > 2) offset += indices[2][d] * s.axes[2].step;
              if (s.mode == Mode::nearest)
                nearest = from[offset];
              else
                sum += weights[0][a] * weights[1][b] * weights[2][d] * static_cast<double>(from[offset]);
            }
        y.data<T>()[(n * channels + c) * points + point] = s.mode == Mode::nearest ? nearest : static_cast<T>(sum);
      }
    }
  });
}

OG_OP(GridSample, "", 22) {
  op.doc(
        "X [N, C, spatial...] sampled at the points of `grid` [N, out..., spatial], whose last axis holds x, y (, z) "
        "in [-1, 1].")
      .input("X", "T1")
      .input("grid", "T2")
      .output("Y", "T1")
      .attr("align_corners", 0)
      .attr("mode", "linear")
      .attr("padding_mode", "zeros")
      .types("T1", types::tensor)
      .types("T2", types::floats)
      .infer([](Infer& c) {
        mode_of(c);
        padding_of(c);
        if (!c.ranked(0) || !c.ranked(1)) return c.out(0, c.dtype(0));
        const Dims x = c.dims(0), grid = c.dims(1);
        if (x.size() < 3 || grid.size() != x.size())
          fail("X and grid must have the same rank of at least 3, they have " + std::to_string(x.size()) + " and " +
               std::to_string(grid.size()));
        Dims dims{is_symbol(x[0]) ? grid[0] : x[0], x[1]};
        dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
        c.out(0, c.dtype(0), dims);
      })
      .pure();
  const auto add = [&](auto grid_zero, auto... zero) {
    using G = decltype(grid_zero);
    (op.kernel(cpu, std::vector<TypeBind>{{"T1", dtype_of<decltype(zero)>}, {"T2", dtype_of<G>}},
               &run<decltype(zero), G>),
     ...);
  };
  add(float{}, float{}, double{}, int8_t{}, int16_t{}, int32_t{}, int64_t{}, uint8_t{}, uint16_t{}, uint32_t{},
      uint64_t{});
  add(double{}, float{}, double{}, int8_t{}, int16_t{}, int32_t{}, int64_t{}, uint8_t{}, uint16_t{}, uint32_t{},
      uint64_t{});
  op.earlier(20, [](Op& o) {
      o.types("T1", types::tensor_before_bfloat).types("T2", types::ieee);
    }).earlier(16, [](Op& o) { o.attr("mode", "bilinear"); });
}

}  // namespace
