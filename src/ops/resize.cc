// Resize: nearest, linear and cubic interpolation along any axes.
#include <opgraft/op.h>
#include <opgraft/resize.h>
#include <opgraft/vectorize.h>

#include <cstring>
#include <limits>
#include <memory>
using namespace opgraft;
namespace {

// ---- reading the inputs roi, scales and sizes: an empty tensor counts as absent ----

bool filled(const og_value& value) {
  return value.kind == OG_TENSOR && value.tensor.ndim > 0 && value.tensor.shape[0] > 0;
}

std::vector<float> read_scales(const og_value& value) {
  if (!filled(value)) return {};
  const Tensor tensor(value);
  return std::vector<float>(tensor.data<float>(), tensor.data<float>() + tensor.numel());
}

std::vector<double> read_roi(const og_value& value) {
  std::vector<double> roi;
  if (!filled(value)) return roi;
  const Tensor tensor(value);
  for (int64_t i = 0; i < tensor.numel(); ++i)
    roi.push_back(tensor.dtype() == f64   ? tensor.data<double>()[i]
                  : tensor.dtype() == f16 ? static_cast<double>(static_cast<float>(tensor.data<half_t>()[i]))
                                          : static_cast<double>(tensor.data<float>()[i]));
  return roi;
}

// The axes of one resize, from the contents of inputs 1 to 3; nothing when contents are not there yet.
template <class Get>
std::optional<std::vector<ResizeAxis>> read_axes(const ResizeAttributes& attributes, const Dims& x, Get&& get) {
  const og_value roi = get(1), scales = get(2), sizes = get(3);
  const bool crop = attributes.coordinates == Coordinates::crop_and_resize;
  for (const og_value* value : {&scales, &sizes, &roi})
    if (filled(*value) && !value->tensor.data && (value != &roi || crop)) return std::nullopt;
  return resize_axes(attributes, x, read_scales(scales),
                     filled(sizes) ? Tensor(sizes).integers() : std::vector<int64_t>{},
                     crop ? read_roi(roi) : std::vector<double>{});
}

og_value run_input(const Run& r, int index) {
  og_value absent{};
  return r.has(index) ? r.input(index).raw() : absent;
}

Dims output_dims(const std::vector<ResizeAxis>& axes) {
  Dims dims;
  for (const auto& axis : axes) dims.push_back(axis.out);
  return dims;
}

// Bytes of one element with the value that lies outside of the input.
std::vector<char> element_of(dtype type, float value) {
  std::vector<char> bytes(static_cast<size_t>(dtype_bits(type) / 8), 0);
  const auto put = [&](auto number) { std::memcpy(bytes.data(), &number, sizeof(number)); };
  switch (type) {
    case f32:
    case c64:
      put(value);
      break;
    case f64:
    case c128:
      put(static_cast<double>(value));
      break;
    case f16:
      put(float_to_half(value));
      break;
    case bf16:
      put(float_to_bfloat(value));
      break;
    case boolean:
      put(static_cast<uint8_t>(value != 0));
      break;
    default: {
      // Little-endian integers: the low bytes of the wide number.
      const int64_t wide = static_cast<int64_t>(value);
      std::memcpy(bytes.data(), &wide, bytes.size());
    }
  }
  return bytes;
}

void fill_outside(Run& r, const ResizeAttributes& attributes, const std::vector<ResizeAxis>& axes) {
  if (attributes.coordinates != Coordinates::crop_and_resize) return;
  const Tensor output = r.output(0);
  const std::vector<char> element = element_of(output.dtype(), attributes.extrapolation);
  char* y = output.data<char>();
  for (int axis = 0; axis < output.ndim(); ++axis) {
    const int64_t outer = output.product(0, axis), inner = output.product(axis + 1, output.ndim());
    for (int64_t position : outside_positions(attributes, axes[static_cast<size_t>(axis)]))
      for (int64_t i = 0; i < outer; ++i) {
        char* at = y + (i * output.dim(axis) + position) * inner * static_cast<int64_t>(element.size());
        for (int64_t j = 0; j < inner; ++j, at += element.size()) std::memcpy(at, element.data(), element.size());
      }
  }
}

// ---- nearest ----

// Each element twice: two copies make one element of the double width.
template <class U, class Wide>
void double_row(const char* x, char* y, int64_t count) {
  const U* from = reinterpret_cast<const U*>(x);
  Wide* to = reinterpret_cast<Wide*>(y);
  constexpr int kBits = 8 * sizeof(U);
  vectorize([=]() OG_SIMD {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Wide>(from[i] | static_cast<Wide>(from[i]) << kBits);
  });
}

template <class U>
void repeat_row(const char* x, char* y, int64_t count, int64_t factor) {
  const U* from = reinterpret_cast<const U*>(x);
  U* to = reinterpret_cast<U*>(y);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < factor; ++j) *to++ = from[i];
}

template <class U>
void gather_row(const char* x, char* y, const std::vector<int64_t>& indices, int64_t factor) {
  const auto count = static_cast<int64_t>(indices.size());
  if constexpr (sizeof(U) == 4)
    if (factor == 2) return double_row<U, uint64_t>(x, y, count / 2);
  if constexpr (sizeof(U) == 1)
    if (factor == 2) return double_row<U, uint16_t>(x, y, count / 2);
  if (factor > 1) return repeat_row<U>(x, y, count / factor, factor);
  const U* from = reinterpret_cast<const U*>(x);
  U* to = reinterpret_cast<U*>(y);
  for (int64_t i = 0; i < count; ++i) to[i] = from[indices[static_cast<size_t>(i)]];
}

struct NearestMap {
  std::vector<ResizeAxis> axes;
  std::vector<std::vector<int64_t>> indices;  // of axes up to the last resized one
  int64_t factor = 0;                         // how often the last resized axis repeats each element; 0 = irregular

  NearestMap(const ResizeAttributes& attributes, std::vector<ResizeAxis> given) : axes(std::move(given)) {
    size_t last = 0;
    for (size_t i = 0; i < axes.size(); ++i)
      if (!axes[i].identity) last = i + 1;
    for (size_t i = 0; i < last; ++i) indices.push_back(nearest_indices(attributes, axes[i]));
    if (indices.empty() || axes[last - 1].in == 0) return;
    const std::vector<int64_t>& map = indices.back();
    factor = axes[last - 1].out / axes[last - 1].in;
    for (size_t i = 0; factor && i < map.size(); ++i)
      if (map[i] != static_cast<int64_t>(i) / factor || axes[last - 1].out % axes[last - 1].in != 0) factor = 0;
  }

  // Calls row(offset of the input row, index of the output row); offsets count elements of the last resized axis.
  template <class F>
  void rows(int64_t begin, int64_t end, F&& row) const {
    for (int64_t r = begin; r < end; ++r) {
      int64_t rest = r, stride = 1, offset = 0;
      for (size_t i = indices.size() - 1; i-- > 0;) {
        offset += indices[i][static_cast<size_t>(rest % axes[i].out)] * stride;
        rest /= axes[i].out;
        stride *= axes[i].in;
      }
      row(offset * axes[indices.size() - 1].in, r);
    }
  }
};

struct ResizeNearest {
  ResizeAttributes attributes;
  struct Plan {
    std::shared_ptr<NearestMap> map;
  };

  static bool supports(Prepare& p) { return resize_mode(p) == ResizeMode::nearest; }
  void pack(Pack& p) { attributes = ResizeAttributes(p); }
  Plan prepare(Prepare& p) const {
    auto axes = read_axes(attributes, p.dims(0), [&](int index) { return p.input(index); });
    return {axes ? std::make_shared<NearestMap>(attributes, std::move(*axes)) : nullptr};
  }
  void run(Run& r) const {
    std::shared_ptr<NearestMap> map = r.plan<Plan>().map;
    if (!map)
      map = std::make_shared<NearestMap>(
          attributes, *read_axes(attributes, r.input(0).shape(), [&](int index) { return run_input(r, index); }));
    const Tensor output = r.output(0, output_dims(map->axes));
    if (output.numel() == 0) return;
    const auto last = static_cast<int>(map->indices.size()) - 1;
    const int64_t inner = output.product(last + 1, output.ndim());
    const int64_t rows = output.product(0, std::max(0, last));
    if (output.dtype() == str) return copy_strings(r, *map, rows, inner);
    const char* x = r.in<char>(0);
    char* y = output.data<char>();
    if (last < 0) return std::memcpy(y, x, output.bytes()), void();
    const int64_t unit = inner * dtype_bits(output.dtype()) / 8, length = output.dim(last) * unit;
    r.parallel_for(rows, 16384 / length + 1, [&](int64_t begin, int64_t end) {
      int64_t previous = -1;
      map->rows(begin, end, [&](int64_t offset, int64_t row) {
        char* to = y + row * length;
        if (offset == previous)
          std::memcpy(to, to - length, static_cast<size_t>(length));
        else
          copy_row(*map, x + offset * unit, to, unit);
        previous = offset;
      });
    });
    fill_outside(r, attributes, map->axes);
  }

  static void copy_row(const NearestMap& map, const char* x, char* y, int64_t unit) {
    const std::vector<int64_t>& indices = map.indices.back();
    if (unit == 1) return gather_row<uint8_t>(x, y, indices, map.factor);
    if (unit == 2) return gather_row<uint16_t>(x, y, indices, map.factor);
    if (unit == 4) return gather_row<uint32_t>(x, y, indices, map.factor);
    if (unit == 8) return gather_row<uint64_t>(x, y, indices, map.factor);
    for (int64_t index : indices) {
      std::memcpy(y, x + index * unit, static_cast<size_t>(unit));
      y += unit;
    }
  }
  static void copy_strings(Run& r, const NearestMap& map, int64_t rows, int64_t inner) {
    if (map.indices.empty()) {
      for (int64_t i = 0; i < r.input(0).numel(); ++i) r.set_string(0, i, r.string(0, i));
      return;
    }
    int64_t at = 0;
    map.rows(0, rows, [&](int64_t offset, int64_t) {
      for (int64_t index : map.indices.back())
        for (int64_t j = 0; j < inner; ++j) r.set_string(0, at++, r.string(0, (offset + index) * inner + j));
    });
  }
};

// ---- linear and cubic: one pass per resized axis, last axis first ----

template <class Out, class Sum>
Out rounded(Sum value) {
  if constexpr (std::is_integral_v<Out>) {
    // Fractions are cut off; a sum that misses a whole number by rounding alone counts as that number.
    const double nudged = value + (value < 0 ? -1e-9 : 1e-9);
    if (nudged <= static_cast<double>(std::numeric_limits<Out>::lowest())) return std::numeric_limits<Out>::lowest();
    if (nudged >= static_cast<double>(std::numeric_limits<Out>::max())) return std::numeric_limits<Out>::max();
    return static_cast<Out>(nudged);
  } else {
    return static_cast<Out>(value);
  }
}

struct FilterPass {
  ResizeFilter filter;
  std::vector<float> weights;  // of the filter, in single precision
  int64_t in = 1, out = 1;
  int64_t outer = 1, inner = 1;  // axes around it, inside one block
};

template <class Sum>
const Sum* weights_of(const FilterPass& pass) {
  if constexpr (std::is_same_v<Sum, float>)
    return pass.weights.data();
  else
    return pass.filter.weights.data();
}

template <class In, class Sum, class Out>
void filter_last_axis(const FilterPass& pass, const In* x, Out* y) {
  const int64_t taps = pass.filter.taps;
  for (int64_t row = 0; row < pass.outer; ++row, x += pass.in, y += pass.out) {
    const int64_t* index = pass.filter.indices.data();
    const Sum* weight = weights_of<Sum>(pass);
    for (int64_t o = 0; o < pass.out; ++o, index += taps, weight += taps) {
      Sum sum = static_cast<Sum>(x[index[0]]) * weight[0] + static_cast<Sum>(x[index[1]]) * weight[1];
      for (int64_t tap = 2; tap < taps; ++tap) sum += static_cast<Sum>(x[index[tap]]) * weight[tap];
      y[o] = rounded<Out, Sum>(sum);
    }
  }
}

template <class In, class Sum, class Out>
void filter_outer_axis(const FilterPass& pass, const In* x, Out* y) {
  constexpr int64_t kBlock = 256;
  const int64_t taps = pass.filter.taps, inner = pass.inner;
  for (int64_t outer = 0; outer < pass.outer; ++outer, x += pass.in * inner) {
    const int64_t* index = pass.filter.indices.data();
    const Sum* weight = weights_of<Sum>(pass);
    for (int64_t o = 0; o < pass.out; ++o, index += taps, weight += taps, y += inner) {
      vectorize([=]() OG_SIMD {
        Sum sums[kBlock];
        for (int64_t first = 0; first < inner; first += kBlock) {
          const int64_t count = std::min(kBlock, inner - first);
          const In *a = x + index[0] * inner + first, *b = x + index[1] * inner + first;
#pragma omp simd
          for (int64_t j = 0; j < count; ++j)
            sums[j] = static_cast<Sum>(a[j]) * weight[0] + static_cast<Sum>(b[j]) * weight[1];
          for (int64_t tap = 2; tap < taps; ++tap) {
            const In* c = x + index[tap] * inner + first;
#pragma omp simd
            for (int64_t j = 0; j < count; ++j) sums[j] += static_cast<Sum>(c[j]) * weight[tap];
          }
          for (int64_t j = 0; j < count; ++j) y[first + j] = rounded<Out, Sum>(sums[j]);
        }
      });
    }
  }
}

template <class In, class Sum, class Out>
void filter_axis(const FilterPass& pass, const In* x, Out* y) {
  if (pass.inner == 1)
    filter_last_axis<In, Sum, Out>(pass, x, y);
  else
    filter_outer_axis<In, Sum, Out>(pass, x, y);
}

// The passes over blocks of the input: a block is what lies under the leading axes that keep their size.
struct FilterMap {
  std::vector<ResizeAxis> axes;
  std::vector<FilterPass> passes;
  int64_t blocks = 1, block_in = 1, block_out = 1;
  int64_t between = 0;  // elements of the largest result between two passes

  FilterMap(const ResizeAttributes& attributes, std::vector<ResizeAxis> given) : axes(std::move(given)) {
    size_t first = 0;
    while (first < axes.size() && axes[first].identity) blocks *= axes[first++].in;
    int64_t inner = 1, outer = 1;
    for (size_t i = first; i < axes.size(); ++i) {
      outer *= axes[i].in;
      block_out *= axes[i].out;
    }
    block_in = outer;
    for (size_t i = axes.size(); i-- > first;) {
      outer /= std::max<int64_t>(1, axes[i].in);
      if (!axes[i].identity) {
        FilterPass pass;
        pass.filter = resize_filter(attributes, axes[i]);
        pass.weights.assign(pass.filter.weights.begin(), pass.filter.weights.end());
        pass.in = axes[i].in;
        pass.out = axes[i].out;
        pass.outer = outer;
        pass.inner = inner;
        if (!passes.empty()) between = std::max(between, passes.back().outer * passes.back().out * passes.back().inner);
        passes.push_back(std::move(pass));
      }
      inner *= axes[i].out;
    }
  }
};

template <class T>
struct ResizeFilterKernel {
  using Sum = std::conditional_t<std::is_same_v<T, float>, float, double>;
  ResizeAttributes attributes;
  struct Plan {
    std::shared_ptr<FilterMap> map;
  };

  static bool supports(Prepare& p) { return resize_mode(p) != ResizeMode::nearest; }
  void pack(Pack& p) { attributes = ResizeAttributes(p); }
  Plan prepare(Prepare& p) const {
    auto axes = read_axes(attributes, p.dims(0), [&](int index) { return p.input(index); });
    if (!axes) return {};
    Plan plan{std::make_shared<FilterMap>(attributes, std::move(*axes))};
    p.scratch(scratch_bytes(*plan.map, p.threads()));
    return plan;
  }
  static uint64_t scratch_bytes(const FilterMap& map, int threads) {
    return static_cast<uint64_t>(2 * map.between * threads) * sizeof(Sum);
  }
  void run(Run& r) const {
    std::shared_ptr<FilterMap> map = r.plan<Plan>().map;
    std::unique_ptr<Sum[]> own;
    Sum* scratch = r.scratch<Sum>();
    if (!map) {
      map = std::make_shared<FilterMap>(
          attributes, *read_axes(attributes, r.input(0).shape(), [&](int index) { return run_input(r, index); }));
      own.reset(new Sum[static_cast<size_t>(2 * map->between * r.threads())]);
      scratch = own.get();
    }
    const Tensor output = r.output(0, output_dims(map->axes));
    const T* x = r.in<T>(0);
    T* y = output.data<T>();
    if (output.numel() == 0) return;
    if (map->passes.empty()) return std::memcpy(y, x, output.bytes()), void();
    const int64_t grain = 8192 / std::max<int64_t>(1, map->block_out) + 1;
    r.parallel_for(map->blocks, grain, [&](int64_t begin, int64_t end, int32_t worker) {
      Sum* buffer = scratch + 2 * map->between * worker;
      for (int64_t i = begin; i < end; ++i)
        resize_block(*map, x + i * map->block_in, y + i * map->block_out, buffer, buffer + map->between);
    });
    fill_outside(r, attributes, map->axes);
  }
  static void resize_block(const FilterMap& map, const T* x, T* y, Sum* a, Sum* b) {
    const size_t count = map.passes.size();
    if (count == 1) return filter_axis<T, Sum, T>(map.passes[0], x, y);
    filter_axis<T, Sum, Sum>(map.passes[0], x, a);
    for (size_t i = 1; i + 1 < count; ++i, std::swap(a, b)) filter_axis<Sum, Sum, Sum>(map.passes[i], a, b);
    filter_axis<Sum, Sum, T>(map.passes[count - 1], a, y);
  }
};

// ---- definition ----

// A dim times a scale: exact for known dims; for symbols when the scale or its inverse is whole.
int64_t scaled_dim(const Infer& c, int64_t dim, float scale) {
  if (is_known(dim)) return resized_length(dim, scale);
  if (scale == 1.0f) return dim;
  if (scale >= 1.0f && scale == std::floor(scale)) return c.mul(dim, static_cast<int64_t>(scale));
  const float inverse = 1.0f / scale;
  if (inverse == std::floor(inverse) && 1.0f / inverse == scale && inverse <= 1024.0f &&
      std::exp2(std::floor(std::log2(inverse))) == inverse)
    return c.floor_div(dim, static_cast<int64_t>(inverse));
  return kUnknown;
}

void infer(Infer& c) {
  const ResizeAttributes attributes(c);
  if (!c.ranked(0)) return c.out(0, c.dtype(0));
  Dims dims = c.dims(0);
  const std::vector<int64_t> axes = attributes.resolved_axes(dims.size());
  for (int64_t axis : axes) dims[static_cast<size_t>(axis)] = kUnknown;
  const Dims x = c.dims(0);
  const auto scales = c.value(2);
  const auto sizes = c.integers(3);
  if (scales && filled(*scales)) {
    const std::vector<float> values = read_scales(*scales);
    check_resize_count("scales", values.size(), axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      if (!(values[i] > 0))
        fail("scales[" + std::to_string(i) + "] = " + std::to_string(values[i]) + " must be above 0");
      dims[axis] = scaled_dim(c, x[axis], values[i]);
    }
  } else if (sizes && !sizes->empty()) {
    check_resize_count("sizes", sizes->size(), axes.size());
    bool known = true;
    for (size_t i = 0; i < axes.size(); ++i)
      known = known && is_known((*sizes)[i]) && is_known(x[static_cast<size_t>(axes[i])]);
    const bool stretch = attributes.policy == AspectPolicy::stretch;
    const double common = !stretch && known ? aspect_scale(attributes.policy, x, axes, *sizes) : 0.0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      if (stretch)
        dims[axis] = (*sizes)[i];
      else if (known)
        dims[axis] = aspect_length(x[axis], common);
    }
  }
  c.out(0, c.dtype(0), dims);
}

// Opset 10 and Upsample had no coordinate modes: positions are x / scale; where an axis shrinks, nearest took the next
// element above, else the one below. Two nodes tell these apart when the scales do not.
void raise_simple(Graph& g) {
  const bool linear = g.get("mode", "nearest") != std::string("nearest");
  const auto resize = [&](const char* scales, const char* from, const char* to, const char* nearest_mode) {
    g.node("Resize", {from, "", scales}, {to})
        .attr("mode", linear ? "linear" : "nearest")
        .attr("coordinate_transformation_mode", "asymmetric")
        .attr("nearest_mode", nearest_mode);
  };
  if (linear) return resize("1", "0", "0", "floor");
  bool grows = true, shrinks = true;
  if (const auto scales = g.value(1)) {
    grows = shrinks = false;
    for (float scale : read_scales(*scales)) (scale < 1.0f ? shrinks : grows) |= scale != 1.0f;
  }
  if (!shrinks) return resize("1", "0", "0", "floor");
  if (!grows) return resize("1", "0", "0", "ceil");
  g.scalar("one", 1.0f);
  g.node("Max", {"1", "one"}, {"up"});
  g.node("Min", {"1", "one"}, {"down"});
  resize("up", "0", "larger", "floor");
  resize("down", "larger", "0", "ceil");
}

OG_OP(Resize, "", 19) {
  op.doc("Resizes axes by scales or to sizes, with nearest, linear or cubic interpolation.")
      .input("X", "T1")
      .input("roi", "T2", optional)
      .input("scales", "tensor(float)", optional)
      .input("sizes", "tensor(int64)", optional)
      .output("Y", "T1")
      .attr("antialias", 0)
      .optional_attr("axes", OG_ATTR_INTS)
      .attr("coordinate_transformation_mode", "half_pixel")
      .attr("cubic_coeff_a", -0.75f)
      .attr("exclude_outside", 0)
      .attr("extrapolation_value", 0.0f)
      .attr("keep_aspect_ratio_policy", "stretch")
      .attr("mode", "nearest")
      .attr("nearest_mode", "round_prefer_floor")
      .types("T1", types::tensor)
      .types("T2", {f16, f32, f64})
      .infer(infer)
      .pure()
      .kernel<ResizeNearest>(cpu)
      .kernel<ResizeFilterKernel<float>>(cpu, f32)
      .kernel<ResizeFilterKernel<double>>(cpu, f64)
      .kernel<ResizeFilterKernel<uint8_t>>(cpu, u8)
      .kernel<ResizeFilterKernel<int8_t>>(cpu, i8)
      .kernel<ResizeFilterKernel<uint16_t>>(cpu, u16)
      .kernel<ResizeFilterKernel<int16_t>>(cpu, i16)
      .kernel<ResizeFilterKernel<uint32_t>>(cpu, u32)
      .kernel<ResizeFilterKernel<int32_t>>(cpu, i32)
      .kernel<ResizeFilterKernel<uint64_t>>(cpu, u64)
      .kernel<ResizeFilterKernel<int64_t>>(cpu, i64);
  op.version(
        10,
        [](Op& old) {
          old.input("X", "T")
              .input("scales", "tensor(float)")
              .output("Y", "T")
              .attr("mode", "nearest")
              .types("T", types::tensor_before_bfloat);
        },
        raise_simple)
      .version(
          18,
          [](Op& old) {
            old.input("X", "T1")
                .input("roi", "T2", optional)
                .input("scales", "tensor(float)", optional)
                .input("sizes", "tensor(int64)", optional)
                .output("Y", "T1")
                .attr("antialias", 0)
                .optional_attr("axes", OG_ATTR_INTS)
                .attr("coordinate_transformation_mode", "half_pixel")
                .attr("cubic_coeff_a", -0.75f)
                .attr("exclude_outside", 0)
                .attr("extrapolation_value", 0.0f)
                .attr("keep_aspect_ratio_policy", "stretch")
                .attr("mode", "nearest")
                .attr("nearest_mode", "round_prefer_floor")
                .types("T1", types::tensor)
                .types("T2", {f16, f32, f64});
          },
          [](Graph&) { return false; });
  op.earlier(13, [](Op& o) {
      o.drop("keep_aspect_ratio_policy").drop("axes").drop("antialias");
    }).earlier(11, [](Op& o) {
    o.input("roi", "T2").input("scales", "tensor(float)").types("T1", types::tensor_before_bfloat);
  });
}

}  // namespace
