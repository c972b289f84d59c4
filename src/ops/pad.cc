// Pad: elements put around the input, or taken away.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

constexpr int64_t kMaxPad = int64_t{1} << 40;

// Pads of every axis, from the list for the named ones.
struct Pads {
  std::vector<int64_t> begin, end;
};

Pads spread(const std::vector<int64_t>& given, std::vector<int64_t> axes, int64_t ndim) {
  Pads pads{std::vector<int64_t>(static_cast<size_t>(ndim), 0), std::vector<int64_t>(static_cast<size_t>(ndim), 0)};
  if (axes.empty())
    for (int64_t i = 0; i < ndim; ++i) axes.push_back(i);
  else
    axes = normalize_axes(axes, ndim);
  if (given.size() != axes.size() * 2)
    fail("pads has " + std::to_string(given.size()) + " entries, " + std::to_string(axes.size() * 2) + " are needed");
  for (int64_t pad : given)
    if (pad < -kMaxPad || pad > kMaxPad)
      fail("a pad is " + std::to_string(pad) + "; at most " + std::to_string(kMaxPad) +
           " elements can be put or taken");
  for (size_t i = 0; i < axes.size(); ++i) {
    pads.begin[static_cast<size_t>(axes[i])] = given[i];
    pads.end[static_cast<size_t>(axes[i])] = given[i + axes.size()];
  }
  return pads;
}

// Where an output position along one axis comes from; -1 = the pad value. Negative pads are taken away first, and what
// is left is then padded.
std::vector<int64_t> sources(const std::string& mode, int64_t full, int64_t begin, int64_t end) {
  const int64_t first = std::min(full, std::max<int64_t>(0, -begin));
  const int64_t dim = std::max<int64_t>(0, full - std::max<int64_t>(0, -end) - first);
  std::vector<int64_t> result(static_cast<size_t>(full + begin + end));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t from = static_cast<int64_t>(i) - std::max<int64_t>(0, begin);
    if (mode == "constant") {
      from = from < 0 || from >= dim ? -1 : from;
    } else if (dim == 0) {
      fail("mode " + mode + " needs at least one element to pad from, none is left of " + std::to_string(full));
    } else if (mode == "edge") {
      from = std::clamp<int64_t>(from, 0, dim - 1);
    } else if (mode == "wrap") {
      from = (from % dim + dim) % dim;
    } else if (dim == 1) {
      from = 0;
    } else {  // reflect without repeating the edge
      const int64_t period = 2 * (dim - 1);
      from = (from % period + period) % period;
      if (from >= dim) from = period - from;
    }
    result[i] = from < 0 ? from : from + first;
  }
  return result;
}

template <class T>
void fill_rows(const Run& r, const T* x, T* y, T value, const Dims& out, const std::vector<std::vector<int64_t>>& from,
               const std::vector<int64_t>& strides) {
  const size_t last = out.size() - 1;
  int64_t outer = 1;
  for (size_t axis = 0; axis < last; ++axis) outer *= out[axis];
  const auto& row = from[last];
  // The longest stretch of the last axis that is copied as it is.
  int64_t first = 0, count = 0;
  for (int64_t i = 0; i < out[last] && count == 0; ++i)
    if (row[static_cast<size_t>(i)] >= 0) {
      first = i;
      while (i + 1 < out[last] && row[static_cast<size_t>(i + 1)] == row[static_cast<size_t>(i)] + 1) ++i;
      count = i - first + 1;
    }
  r.parallel_for(outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, out[last])), [&](int64_t b, int64_t e) {
    for (int64_t o = b; o < e; ++o) {
      int64_t index = o, offset = 0;
      bool inside = true;
      for (size_t axis = last; axis-- > 0;) {
        const int64_t source = from[axis][static_cast<size_t>(index % out[axis])];
        index /= out[axis];
        inside = inside && source >= 0;
        offset += source * strides[axis];
      }
      T* to = y + o * out[last];
      if (!inside) {
        std::fill(to, to + out[last], value);
        continue;
      }
      for (int64_t i = 0; i < first; ++i)
        to[i] = row[static_cast<size_t>(i)] < 0 ? value : x[offset + row[static_cast<size_t>(i)]];
      if (count)
        std::memcpy(static_cast<void*>(to + first), x + offset + row[static_cast<size_t>(first)],
                    static_cast<size_t>(count) * sizeof(T));
      for (int64_t i = first + count; i < out[last]; ++i)
        to[i] = row[static_cast<size_t>(i)] < 0 ? value : x[offset + row[static_cast<size_t>(i)]];
    }
  });
}

void fill_strings(Run& r, const Dims& out, const std::vector<std::vector<int64_t>>& from,
                  const std::vector<int64_t>& strides, int64_t total) {
  const std::string value(r.has(2) && r.input(2).numel() > 0 ? r.string(2, 0) : "");
  for (int64_t i = 0; i < total; ++i) {
    int64_t index = i, offset = 0;
    bool inside = true;
    for (size_t axis = out.size(); axis-- > 0;) {
      const int64_t source = from[axis][static_cast<size_t>(index % out[axis])];
      index /= out[axis];
      inside = inside && source >= 0;
      offset += source * strides[axis];
    }
    r.set_string(0, i, inside ? r.string(0, offset) : std::string_view(value));
  }
}

std::string mode_of(const Node& node) {
  const std::string mode = node.get("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    fail("mode = \"" + mode + "\"; it must be \"constant\", \"reflect\", \"edge\" or \"wrap\"");
  return mode;
}

void run(Run& r) {
  const Tensor x = r.input(0);
  const Pads pads = spread(r.input(1).integers(), r.has(3) ? r.input(3).integers() : std::vector<int64_t>{}, x.ndim());
  const std::string mode = mode_of(r);
  Dims out = x.shape();
  std::vector<std::vector<int64_t>> from;
  for (size_t axis = 0; axis < out.size(); ++axis) {
    out[axis] += pads.begin[axis] + pads.end[axis];
    if (out[axis] < 0) fail("pads leave a negative size on axis " + std::to_string(axis));
  }
  // The output before the tables, whose sizes then are known to be sane.
  const Tensor y = r.output(0, out);
  if (y.numel() == 0) return;
  for (size_t axis = 0; axis < out.size(); ++axis)
    from.push_back(sources(mode, x.dim(static_cast<int>(axis)), pads.begin[axis], pads.end[axis]));
  const auto strides = row_major_strides(x.shape());
  if (x.dtype() == str) return fill_strings(r, out, from, strides, y.numel());
  by_size(element_bytes(x), [&](auto zero) {
    using T = decltype(zero);
    T value{};
    if (r.has(2) && r.input(2).numel() > 0) value = *r.input(2).data<T>();
    if (out.empty())
      *y.data<T>() = *x.data<T>();
    else
      fill_rows(r, x.data<T>(), y.data<T>(), value, out, from, strides);
  });
}

void infer(Infer& c) {
  mode_of(c);
  const auto pads = c.known_integers(1);
  const auto axes = c.has(3) ? c.known_integers(3) : std::vector<int64_t>{};
  if (!c.ranked(0)) return c.out(0, c.dtype(0));
  Dims dims = c.dims(0);
  if (!pads || !axes) {
    for (auto& dim : dims) dim = kUnknown;
    return c.out(0, c.dtype(0), dims);
  }
  const Pads all = spread(*pads, *axes, c.ndim(0));
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = c.add(dims[i], all.begin[i] + all.end[i]);
    if (is_known(dims[i]) && dims[i] < 0) fail("pads leave a negative size on axis " + std::to_string(i));
  }
  c.out(0, c.dtype(0), dims);
}

OG_OP(Pad, "", 25) {
  op.doc(
        "The input with `pads` elements put before and after each axis: a constant, a reflection, the edge, or from "
        "the other side.")
      .input("data", "T")
      .input("pads", "tensor(int64)")
      .input("constant_value", "T", optional)
      .input("axes", "Tind", optional)
      .output("output", "T")
      .attr("mode", "constant")
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer(&infer)
      .kernel(cpu, &run)
      .version(
          11,
          [](Op& o) {
            o.input("data", "T")
                .input("pads", "tensor(int64)")
                .input("constant_value", "T", optional)
                .input("axes", "Tind", optional)
                .output("output", "T")
                .attr("mode", "constant")
                .types("T", types::tensor)
                .types("Tind", {i32, i64});
          },
          [](Graph& g) {
            g.node("Pad", {"data", "pads", "constant_value", "axes"}, {"output"}).attr_from("mode");
          })
      .version(
          2,
          [](Op& o) {
            o.input("data", "T")
                .output("output", "T")
                .attr("mode", "constant")
                .required_attr("pads", OG_ATTR_INTS)
                .attr("value", 0.0f)
                .types("T", types::floats);
          },
          [](Graph& g) {
            g.ints("list", g.Node::ints("pads"));
            const float value = g.get("value", 0.0f);
            if (value != 0 && g.dtype(0) == any) return false;
            if (value != 0) g.scalar_like("number", value, 0);
            g.node("Pad", {"data", "list", value != 0 ? "number" : ""}, {"output"}).attr_from("mode");
            return true;
          })
      .pure();
}

}  // namespace
