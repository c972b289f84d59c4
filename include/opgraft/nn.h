// Geometry of sliding windows for convolution and pooling operators: strides, dilations, pads, auto_pad, output sizes.
//
// `Windows` is what a node's attributes say; it serves inference, where dims may be symbols. `WindowGeometry` is its
// concrete form for kernels, always with three axes: missing leading axes have size 1, so loops and the services of
// services.h (called with spatial = 3) need no case per rank.
#ifndef OPGRAFT_NN_H_
#define OPGRAFT_NN_H_

#include <algorithm>
#include <string>
#include <vector>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

inline constexpr int kMaxSpatial = 3;
inline constexpr int64_t kMaxWindow = INT32_MAX;  // sizes, strides and pads of windows: their products do not overflow

enum class AutoPad { notset, same_upper, same_lower, valid };

struct Windows {
  AutoPad auto_pad = AutoPad::notset;
  bool ceil_mode = false;
  std::vector<int64_t> kernel;  // may hold symbols during inference
  std::vector<int64_t> stride, dilation, pad_begin, pad_end;

  int spatial() const { return static_cast<int>(kernel.size()); }
  // Elements that a window spans along an axis. The kernel size must be known.
  int64_t extent(int axis) const {
    const auto i = static_cast<size_t>(axis);
    return (kernel[i] - 1) * dilation[i] + 1;
  }
};

inline AutoPad read_auto_pad(const Node& node) {
  const std::string text = node.get("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::notset;
  if (text == "SAME_UPPER") return AutoPad::same_upper;
  if (text == "SAME_LOWER") return AutoPad::same_lower;
  if (text == "VALID") return AutoPad::valid;
  fail("auto_pad = \"" + text + "\" is unknown; it must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

// A list attribute with one entry per spatial axis, each at least `least`.
inline std::vector<int64_t> read_axis_list(const Node& node, const char* name, int spatial, int64_t otherwise,
                                           int64_t least) {
  const auto count = static_cast<size_t>(spatial);
  std::vector<int64_t> list = node.ints(name);
  if (list.empty()) return std::vector<int64_t>(count, otherwise);
  if (list.size() != count)
    fail(std::string(name) + " has " + std::to_string(list.size()) + " entries; the input has " +
         std::to_string(spatial) + " spatial axes");
  for (int64_t value : list)
    if (value < least || value > kMaxWindow)
      fail(std::string(name) + " = " + to_string(list) + ": every entry must be at least " + std::to_string(least) +
           " and at most " + std::to_string(kMaxWindow));
  return list;
}

// Attributes auto_pad, pads, strides, dilations and ceil_mode of a node whose windows have the sizes `kernel`.
inline Windows read_windows(const Node& node, std::vector<int64_t> kernel) {
  Windows windows;
  const int spatial = static_cast<int>(kernel.size());
  if (spatial < 1 || spatial > kMaxSpatial)
    fail("inputs with " + std::to_string(spatial) + " spatial axes are not supported; 1 to 3 are");
  for (int64_t size : kernel)
    if (is_known(size) && (size < 1 || size > kMaxWindow))
      fail("kernel of sizes " + to_string(kernel) + ": every size must be at least 1 and at most " +
           std::to_string(kMaxWindow));
  windows.kernel = std::move(kernel);
  windows.auto_pad = read_auto_pad(node);
  windows.ceil_mode = node.get("ceil_mode", int64_t{0}) != 0;
  windows.stride = read_axis_list(node, "strides", spatial, 1, 1);
  windows.dilation = read_axis_list(node, "dilations", spatial, 1, 1);
  const auto count = static_cast<size_t>(spatial);
  windows.pad_begin.assign(count, 0);
  windows.pad_end.assign(count, 0);
  if (windows.auto_pad == AutoPad::notset) {
    const std::vector<int64_t> pads = node.ints("pads");
    if (!pads.empty()) {
      if (pads.size() != 2 * count)
        fail("pads has " + std::to_string(pads.size()) + " entries; " + std::to_string(2 * spatial) +
             " are needed, the begins and then the ends of the spatial axes");
      for (int64_t pad : pads)
        if (pad < 0 || pad > kMaxWindow)
          fail("pads = " + to_string(pads) + ": every pad must be at least 0 and at most " +
               std::to_string(kMaxWindow));
      windows.pad_begin.assign(pads.begin(), pads.begin() + spatial);
      windows.pad_end.assign(pads.begin() + spatial, pads.end());
    }
  }
  return windows;
}

// Arithmetic on known dims, with the names that Infer has for numbers and symbols.
struct KnownDims {
  static int64_t add(int64_t a, int64_t b) { return a + b; }
  static int64_t sub(int64_t a, int64_t b) { return a - b; }
  static int64_t mul(int64_t a, int64_t b) { return a * b; }
  static int64_t min(int64_t a, int64_t b) { return std::min(a, b); }
  static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
  static int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }
};

// Number of windows along an axis. `c` is an Infer, for numbers and symbols, or KnownDims.
template <class Arithmetic>
int64_t window_count(const Arithmetic& c, const Windows& windows, int axis, int64_t input) {
  const auto i = static_cast<size_t>(axis);
  const int64_t stride = windows.stride[i];
  if (windows.auto_pad == AutoPad::same_upper || windows.auto_pad == AutoPad::same_lower)
    return c.ceil_div(input, stride);
  const int64_t extent = c.add(c.mul(c.sub(windows.kernel[i], 1), windows.dilation[i]), 1);
  const int64_t padded = c.add(input, windows.pad_begin[i] + windows.pad_end[i]);
  const int64_t room = c.sub(padded, extent);
  // A window that overhangs by less than a stride counts once, clipped: onnxruntime's rounding towards zero, on which
  // exported models rely.
  if (is_known(room) && room < 0 && room > -stride) return 1;
  if (is_known(room) && room < 0)
    fail("the window spans " + std::to_string(extent) + " elements along spatial axis " + std::to_string(axis) +
         ", the padded input has " + std::to_string(padded));
  // Rounding up must not make a window that starts in the padding at the end. VALID rounds down in both modes.
  if (windows.ceil_mode && windows.auto_pad == AutoPad::notset)
    return c.min(c.add(c.ceil_div(room, stride), 1), c.ceil_div(c.add(input, windows.pad_begin[i]), stride));
  return c.add(c.floor_div(room, stride), 1);
}

struct WindowGeometry {
  int64_t in[kMaxSpatial], out[kMaxSpatial];
  int64_t kernel[kMaxSpatial], stride[kMaxSpatial], dilation[kMaxSpatial];
  int64_t pad_begin[kMaxSpatial], pad_end[kMaxSpatial];

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }

  // Copies to a descriptor of services.h with the same field names.
  template <class Descriptor>
  void fill(Descriptor& descriptor) const {
    for (int i = 0; i < kMaxSpatial; ++i) {
      descriptor.in[i] = in[i];
      descriptor.out[i] = out[i];
      descriptor.kernel[i] = kernel[i];
      descriptor.stride[i] = stride[i];
      descriptor.dilation[i] = dilation[i];
      descriptor.pad_begin[i] = pad_begin[i];
    }
  }
};

// Geometry without sizes of input and output (these are 1): enough to pack weights.
inline WindowGeometry window_geometry(const Windows& windows) {
  WindowGeometry g;
  for (int i = 0; i < kMaxSpatial; ++i) {
    g.in[i] = g.out[i] = g.kernel[i] = g.stride[i] = g.dilation[i] = 1;
    g.pad_begin[i] = g.pad_end[i] = 0;
  }
  const int offset = kMaxSpatial - windows.spatial();
  for (int i = 0; i < windows.spatial(); ++i) {
    const auto from = static_cast<size_t>(i);
    g.kernel[offset + i] = windows.kernel[from];
    g.stride[offset + i] = windows.stride[from];
    g.dilation[offset + i] = windows.dilation[from];
    g.pad_begin[offset + i] = windows.pad_begin[from];
    g.pad_end[offset + i] = windows.pad_end[from];
  }
  return g;
}

// Geometry for input dims [N, C, spatial...] and output dims [N, M, spatial...]; solves auto_pad.
inline WindowGeometry window_geometry(const Windows& windows, const Dims& x, const Dims& y) {
  WindowGeometry g = window_geometry(windows);
  const int offset = kMaxSpatial - windows.spatial();
  for (int i = 0; i < windows.spatial(); ++i) {
    const int axis = offset + i;
    g.in[axis] = x[static_cast<size_t>(i) + 2];
    g.out[axis] = y[static_cast<size_t>(i) + 2];
    if (windows.auto_pad != AutoPad::same_upper && windows.auto_pad != AutoPad::same_lower) continue;
    const int64_t total = std::max<int64_t>(0, (g.out[axis] - 1) * g.stride[axis] + windows.extent(i) - g.in[axis]);
    g.pad_begin[axis] = windows.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
    g.pad_end[axis] = total - g.pad_begin[axis];
  }
  return g;
}

// Outputs [begin, end) along an axis whose tap `k` lies inside the input, and the input index of tap `k` at output 0.
struct TapRange {
  int64_t begin, end, first;
};
inline TapRange tap_range(const WindowGeometry& g, int axis, int64_t k) {
  TapRange range;
  range.first = k * g.dilation[axis] - g.pad_begin[axis];
  const int64_t stride = g.stride[axis];
  range.begin = range.first >= 0 ? 0 : (-range.first + stride - 1) / stride;
  const int64_t room = g.in[axis] - 1 - range.first;
  range.end = room < 0 ? 0 : std::min(g.out[axis], room / stride + 1);
  range.begin = std::min(range.begin, range.end);
  return range;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_NN_H_
