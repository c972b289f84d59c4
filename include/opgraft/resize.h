// Arithmetic of Resize: which input elements and weights make each output element, axis by axis.
//
// Source of the formulas: the ONNX specification, operator Resize. Where its text and its examples differ
// (align_corners with a scale that does not give a whole size), this follows the examples: length_resized is the
// input's length times the scale.
#ifndef OPGRAFT_RESIZE_H_
#define OPGRAFT_RESIZE_H_

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

enum class ResizeMode { nearest, linear, cubic };
enum class NearestMode { round_prefer_floor, round_prefer_ceil, floor, ceil };
enum class Coordinates {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  crop_and_resize,
  half_pixel_for_nearest  // "tf_half_pixel_for_nn" of opsets 11 and 12
};
enum class AspectPolicy { stretch, not_larger, not_smaller };

template <class E>
E resize_choice(const Node& node, const char* name, const char* otherwise,
                const std::vector<std::pair<const char*, E>>& choices) {
  const std::string text = node.get(name, otherwise);
  std::string known;
  for (const auto& [choice, value] : choices) {
    if (text == choice) return value;
    known += (known.empty() ? "" : ", ") + std::string(choice);
  }
  fail(std::string(name) + " = \"" + text + "\" is unknown; it must be one of " + known);
}

inline ResizeMode resize_mode(const Node& node) {
  return resize_choice<ResizeMode>(
      node, "mode", "nearest",
      {{"nearest", ResizeMode::nearest}, {"linear", ResizeMode::linear}, {"cubic", ResizeMode::cubic}});
}

struct ResizeAttributes {
  ResizeMode mode = ResizeMode::nearest;
  NearestMode nearest = NearestMode::round_prefer_floor;
  Coordinates coordinates = Coordinates::half_pixel;
  AspectPolicy policy = AspectPolicy::stretch;
  bool antialias = false, exclude_outside = false;
  double cubic_a = -0.75;
  float extrapolation = 0;
  std::vector<int64_t> axes;

  ResizeAttributes() = default;
  explicit ResizeAttributes(const Node& node) : mode(resize_mode(node)) {
    nearest = resize_choice<NearestMode>(node, "nearest_mode", "round_prefer_floor",
                                         {{"round_prefer_floor", NearestMode::round_prefer_floor},
                                          {"round_prefer_ceil", NearestMode::round_prefer_ceil},
                                          {"floor", NearestMode::floor},
                                          {"ceil", NearestMode::ceil}});
    coordinates = resize_choice<Coordinates>(node, "coordinate_transformation_mode", "half_pixel",
                                             {{"half_pixel", Coordinates::half_pixel},
                                              {"half_pixel_symmetric", Coordinates::half_pixel_symmetric},
                                              {"pytorch_half_pixel", Coordinates::pytorch_half_pixel},
                                              {"align_corners", Coordinates::align_corners},
                                              {"asymmetric", Coordinates::asymmetric},
                                              {"tf_crop_and_resize", Coordinates::crop_and_resize},
                                              {"tf_half_pixel_for_nn", Coordinates::half_pixel_for_nearest}});
    policy = resize_choice<AspectPolicy>(node, "keep_aspect_ratio_policy", "stretch",
                                         {{"stretch", AspectPolicy::stretch},
                                          {"not_larger", AspectPolicy::not_larger},
                                          {"not_smaller", AspectPolicy::not_smaller}});
    antialias = node.get("antialias", 0) != 0;
    exclude_outside = node.get("exclude_outside", 0) != 0;
    cubic_a = static_cast<double>(node.get("cubic_coeff_a", -0.75f));
    extrapolation = node.get("extrapolation_value", 0.0f);
    axes = node.ints("axes");
  }

  // Axes that roi, scales and sizes speak of.
  std::vector<int64_t> resolved_axes(size_t ndim) const {
    std::vector<int64_t> result = axes;
    if (result.empty())
      for (size_t i = 0; i < ndim; ++i) result.push_back(static_cast<int64_t>(i));
    for (int64_t& axis : result) axis = normalize_axis(axis, static_cast<int64_t>(ndim), "an entry of axes");
    return result;
  }
};

// One axis of one resize.
struct ResizeAxis {
  int64_t in = 1, out = 1;
  double scale = 1.0;
  bool scale_given = false;  // from input `scales`; else it is out / in
  double start = 0.0, end = 1.0;
  bool identity = true;

  // Position in the input of an output element, in the arithmetic of T.
  template <class T>
  T position(Coordinates coordinates, int64_t output) const {
    const T x = static_cast<T>(output), length = static_cast<T>(in), resized = static_cast<T>(out);
    const T factor = static_cast<T>(scale), half = T(0.5);
    switch (coordinates) {
      case Coordinates::half_pixel:
        return (x + half) / factor - half;
      case Coordinates::half_pixel_symmetric: {
        const T adjustment = resized / (factor * length);
        return length / T(2) * (T(1) - adjustment) + (x + half) / factor - half;
      }
      case Coordinates::pytorch_half_pixel:
        return out > 1 ? (x + half) / factor - half : T(0);
      case Coordinates::align_corners: {
        const T exact = scale_given ? length * factor : resized;
        return exact > T(1) ? x * (length - T(1)) / (exact - T(1)) : T(0);
      }
      case Coordinates::asymmetric:
        return x / factor;
      case Coordinates::crop_and_resize: {
        const T from = static_cast<T>(start), to = static_cast<T>(end);
        if (out > 1) return from * (length - T(1)) + x * (to - from) * (length - T(1)) / (resized - T(1));
        return half * (from + to) * (length - T(1));
      }
      case Coordinates::half_pixel_for_nearest:
        return (x + half) / factor;
    }
    return x;
  }
};

// The output's size along an axis of known size when `scales` is given.
inline int64_t resized_length(int64_t in, float scale) {
  return static_cast<int64_t>(std::floor(static_cast<float>(in) * scale));
}

// The one scale that a policy other than stretch takes.
inline double aspect_scale(AspectPolicy policy, const Dims& x, const std::vector<int64_t>& axes,
                           const std::vector<int64_t>& sizes) {
  double result = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const double scale = static_cast<double>(sizes[i]) / static_cast<double>(x[static_cast<size_t>(axes[i])]);
    if (i == 0)
      result = scale;
    else
      result = policy == AspectPolicy::not_larger ? std::min(result, scale) : std::max(result, scale);
  }
  return result;
}
inline int64_t aspect_length(int64_t in, double scale) {
  return static_cast<int64_t>(std::floor(scale * static_cast<double>(in) + 0.5));
}

inline void check_resize_count(const char* name, size_t found, size_t wanted) {
  if (found != wanted)
    fail(std::string(name) + " has " + std::to_string(found) + " entries, " + std::to_string(wanted) +
         " are needed, one per resized axis" + (std::string(name) == "roi" ? ", starts and then ends" : ""));
}

// All axes of an input of concrete dims. Exactly one of scales and sizes must be given.
inline std::vector<ResizeAxis> resize_axes(const ResizeAttributes& attributes, const Dims& x,
                                           const std::vector<float>& scales, const std::vector<int64_t>& sizes,
                                           const std::vector<double>& roi) {
  if (scales.empty() == sizes.empty()) fail("exactly one of scales and sizes must be given");
  const std::vector<int64_t> axes = attributes.resolved_axes(x.size());
  const bool crop = attributes.coordinates == Coordinates::crop_and_resize;
  if (!scales.empty()) check_resize_count("scales", scales.size(), axes.size());
  if (!sizes.empty()) check_resize_count("sizes", sizes.size(), axes.size());
  if (crop) check_resize_count("roi", roi.size(), 2 * axes.size());
  std::vector<ResizeAxis> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) result[i].in = result[i].out = x[i];
  const double common = sizes.empty() || attributes.policy == AspectPolicy::stretch
                            ? 0.0
                            : aspect_scale(attributes.policy, x, axes, sizes);
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = result[static_cast<size_t>(axes[i])];
    if (!scales.empty()) {
      if (!(scales[i] > 0))
        fail("scales[" + std::to_string(i) + "] = " + std::to_string(scales[i]) + " must be above 0");
      axis.scale = static_cast<double>(scales[i]);
      axis.scale_given = true;
      axis.out = resized_length(axis.in, scales[i]);
    } else if (common > 0) {
      axis.scale = common;
      axis.out = aspect_length(axis.in, common);
    } else {
      if (sizes[i] < 0) fail("sizes[" + std::to_string(i) + "] = " + std::to_string(sizes[i]) + " is negative");
      axis.out = sizes[i];
      axis.scale = axis.in > 0 ? static_cast<double>(sizes[i]) / static_cast<double>(axis.in) : 1.0;
    }
    if (crop) axis.start = roi[i], axis.end = roi[axes.size() + i];
    if (axis.in == 0 && axis.out > 0) fail("an axis of size 0 cannot be resized to " + std::to_string(axis.out));
    axis.identity = axis.in == axis.out && axis.scale == 1.0 && (!crop || (axis.start == 0.0 && axis.end == 1.0));
  }
  return result;
}

// Outputs of an axis that take the extrapolation value.
inline std::vector<int64_t> outside_positions(const ResizeAttributes& attributes, const ResizeAxis& axis) {
  std::vector<int64_t> result;
  if (attributes.coordinates != Coordinates::crop_and_resize) return result;
  for (int64_t o = 0; o < axis.out; ++o) {
    const float x = axis.position<float>(attributes.coordinates, o);
    if (x < 0 || x > static_cast<float>(axis.in - 1)) result.push_back(o);
  }
  return result;
}

// Input element of each output element in nearest mode. Single precision: ties must fall as they do elsewhere.
inline std::vector<int64_t> nearest_indices(const ResizeAttributes& attributes, const ResizeAxis& axis) {
  std::vector<int64_t> indices(static_cast<size_t>(axis.out));
  for (int64_t o = 0; o < axis.out; ++o) {
    const float x = axis.identity ? static_cast<float>(o) : axis.position<float>(attributes.coordinates, o);
    float picked = 0;
    switch (attributes.nearest) {
      case NearestMode::round_prefer_floor:
        picked = std::ceil(x - 0.5f);
        break;
      case NearestMode::round_prefer_ceil:
        picked = std::floor(x + 0.5f);
        break;
      case NearestMode::floor:
        picked = std::floor(x);
        break;
      case NearestMode::ceil:
        picked = std::ceil(x);
        break;
    }
    const int64_t last = axis.in - 1;
    indices[static_cast<size_t>(o)] =
        axis.identity ? o : std::max<int64_t>(0, std::min(last, static_cast<int64_t>(picked)));
  }
  return indices;
}

// Weighted sum of `taps` input elements for each output element.
struct ResizeFilter {
  int64_t taps = 1;
  std::vector<int64_t> indices;  // [out, taps]
  std::vector<double> weights;   // [out, taps]
};

inline double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// For linear and cubic mode.
inline ResizeFilter resize_filter(const ResizeAttributes& attributes, const ResizeAxis& axis) {
  const bool cubic = attributes.mode == ResizeMode::cubic;
  const double radius = cubic ? 2.0 : 1.0;
  const double shrink = attributes.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const int64_t first = static_cast<int64_t>(std::floor(-radius / shrink)) + 1;
  ResizeFilter filter;
  filter.taps = 2 - 2 * first;
  for (int64_t o = 0; o < axis.out; ++o) {
    const double x = axis.position<double>(attributes.coordinates, o);
    const double base = std::floor(x);
    double sum = 0;
    const size_t row = filter.weights.size();
    for (int64_t tap = 0; tap < filter.taps; ++tap) {
      const double at = base + static_cast<double>(first + tap);
      const double distance = (at - x) * shrink;
      double weight = cubic ? cubic_weight(distance, attributes.cubic_a) : std::max(0.0, 1.0 - std::abs(distance));
      const double last = static_cast<double>(axis.in - 1);
      if (attributes.exclude_outside && (at < 0 || at > last)) weight = 0;
      filter.indices.push_back(static_cast<int64_t>(std::max(0.0, std::min(last, at))));
      filter.weights.push_back(weight);
      sum += weight;
    }
    if (attributes.antialias || attributes.exclude_outside)
      for (size_t i = row; i < filter.weights.size(); ++i) filter.weights[i] /= sum;
  }
  return filter;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_RESIZE_H_
