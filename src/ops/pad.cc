// Pad: elements put around the input, or taken away.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

constexpr int64_t kMaxPad = int64_t{1} << 40;

constexpr int64_t kLargest = int64_t(1) << 48;  // sums of two pads and a dim stay in range

// Pads of every axis, from the list for the named ones; all are named where the input `axes` is left out.
struct Pads {
  std::vector<int64_t> begin, end;
};

Pads spread(const std::vector<int64_t>& given, bool named, std::vector<int64_t> axes, int64_t ndim) {
  Pads pads{std::vector<int64_t>(static_cast<size_t>(ndim), 0), std::vector<int64_t>(static_cast<size_t>(ndim), 0)};
  if (!named)
    for (int64_t i = 0; i < ndim; ++i) axes.push_back(i);
  else
    axes = normalize_axes(axes, ndim);
  if (given.size() != axes.size() * 2)
    fail("pads has " + std::to_string(given.size()) + " entries, " + std::to_string(axes.size() * 2) + " are needed");
  for (int64_t pad : given)
    if (pad < -kMaxPad || pad > kMaxPad)
      fail("a pad is " + std::to_string(pad) + "; at most " + std::to_string(kMaxPad) +
           " elements can be put or taken");
  for (int64_t size : given)
    if (size > kLargest || size < -kLargest) fail("pads holds " + std::to_string(size) + ", which is out of reach");
  for (size_t i = 0; i < axes.size(); ++i) {
    pads.begin[static_cast<size_t>(axes[i])] = given[i];
    pads.end[static_cast<size_t>(axes[i])] = given[i + axes.size()];
  }
  return pads;
}

enum class Mode { constant, reflect, edge, wrap };

Mode mode_of(const Node& node) {
  const std::string mode = node.get("mode", "constant");
  if (mode == "constant") return Mode::constant;
  if (mode == "reflect") return Mode::reflect;
  if (mode == "edge") return Mode::edge;
  if (mode == "wrap") return Mode::wrap;
  fail("mode = \"" + mode + "\"; it must be \"constant\", \"reflect\", \"edge\" or \"wrap\"");
}

// One axis: negative pads are taken away first, and what is left, `kept` elements from `first` on, is then padded.
struct Axis {
  Mode mode;
  int64_t before, first, kept, count;

  Axis(Mode how, int64_t dim, int64_t begin, int64_t end)
      : mode(how),
        before(std::max<int64_t>(0, begin)),
        first(std::min(dim, std::max<int64_t>(0, -begin))),
        kept(std::max<int64_t>(0, dim - std::max<int64_t>(0, -end) - first)),
        count(dim + begin + end) {
    if (mode != Mode::constant && kept == 0 && count > 0)
      fail("the mode needs at least one element to pad from, none is left of " + std::to_string(dim));
  }
  // Where an output position comes from; -1 = the pad value.
  int64_t source(int64_t position) const {
    int64_t from = position - before;
    if (from >= 0 && from < kept) return first + from;
    if (mode == Mode::constant) return -1;
    if (mode == Mode::edge) {
      from = from < 0 ? 0 : kept - 1;
    } else if (mode == Mode::wrap) {
      from = (from % kept + kept) % kept;
    } else if (kept == 1) {
      from = 0;
    } else {  // reflect without repeating the edge
      const int64_t period = 2 * (kept - 1);
      from = (from % period + period) % period;
      if (from >= kept) from = period - from;
    }
    return first + from;
  }
};

// The offset of the input row that an output row comes from; -1 = a row of pad values.
int64_t row_offset(const std::vector<Axis>& axes, const std::vector<int64_t>& strides, int64_t row) {
  int64_t offset = 0;
  bool inside = true;
  for (size_t axis = axes.size() - 1; axis-- > 0;) {
    const int64_t source = axes[axis].source(row % axes[axis].count);
    row /= axes[axis].count;
    inside = inside && source >= 0;
    offset += source * strides[axis];
  }
  return inside ? offset : -1;
}

template <class T>
void fill_rows(const Run& r, const T* x, T* y, T value, const std::vector<Axis>& axes,
               const std::vector<int64_t>& strides, int64_t rows) {
  const Axis& last = axes.back();
  const int64_t head = std::min(last.before, last.count), body = std::min(last.kept, last.count - head);
  r.parallel_for(rows, std::max<int64_t>(1, 16384 / last.count), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* to = y + row * last.count;
      const int64_t offset = row_offset(axes, strides, row);
      if (offset < 0) {
        std::fill(to, to + last.count, value);
        continue;
      }
      const T* from = x + offset;
      const auto edge = [&](int64_t i, int64_t stop) {
        for (; i < stop; ++i) {
          const int64_t source = last.source(i);
          to[i] = source < 0 ? value : from[source];
        }
      };
      edge(0, head);
      std::memcpy(static_cast<void*>(to + head), from + last.first, static_cast<size_t>(body) * sizeof(T));
      edge(head + body, last.count);
    }
  });
}

void fill_strings(Run& r, const std::vector<Axis>& axes, const std::vector<int64_t>& strides, int64_t rows) {
  const std::string value(r.has(2) && r.input(2).numel() > 0 ? r.string(2, 0) : "");
  const int64_t inner = axes.back().count;
  for (int64_t i = 0; i < rows * inner; ++i) {
    const int64_t offset = row_offset(axes, strides, i / inner), source = axes.back().source(i % inner);
    const bool inside = offset >= 0 && source >= 0;
    r.set_string(0, i, inside ? r.string(0, offset + source) : std::string_view(value));
  }
}

void run(Run& r) {
  const Tensor x = r.input(0);
  const Pads pads =
      spread(r.input(1).integers(), r.has(3), r.has(3) ? r.input(3).integers() : std::vector<int64_t>{}, x.ndim());
  const Mode mode = mode_of(r);
  Dims out;
  std::vector<Axis> axes;
  for (size_t axis = 0; axis < static_cast<size_t>(x.ndim()); ++axis) {
    axes.emplace_back(mode, x.dim(static_cast<int64_t>(axis)), pads.begin[axis], pads.end[axis]);
    out.push_back(axes.back().count);
    if (out.back() < 0) fail("pads leave a negative size on axis " + std::to_string(axis));
  }
  if (out.empty()) return move_elements(r, {}, {});
  const Tensor y = r.output(0, out);
  if (y.numel() == 0) return;
  const auto strides = row_major_strides(x.shape());
  const int64_t rows = y.product(0, y.ndim() - 1);
  if (x.dtype() == str) return fill_strings(r, axes, strides, rows);
  if (is_packed(x.dtype())) {
    const std::vector<uint8_t> from = unpack_elements(x);
    std::vector<uint8_t> to(static_cast<size_t>(y.numel()));
    const bool given = r.has(2) && r.input(2).numel() > 0;
    const uint8_t value = given ? unpack_elements(r.input(2))[0] : uint8_t(0);
    fill_rows(r, from.data(), to.data(), value, axes, strides, rows);
    return pack_elements(to, y);
  }
  by_size(element_bytes(x), [&](auto zero) {
    using T = decltype(zero);
    T value{};
    if (r.has(2) && r.input(2).numel() > 0) value = *r.input(2).data<T>();
    fill_rows(r, x.data<T>(), y.data<T>(), value, axes, strides, rows);
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
  const Pads all = spread(*pads, c.has(3), *axes, c.ndim(0));
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
      .types("T", types::all)
      .types("Tind", {i32, i64})
      .infer(&infer)
      .kernel(cpu, &run)
      .version(
          24,
          [](Op& o) {
            o.input("data", "T")
                .input("pads", "tensor(int64)")
                .input("constant_value", "T", optional)
                .input("axes", "Tind", optional)
                .output("output", "T")
                .attr("mode", "constant")
                .types("T", types::tensor_24)
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
                .types("T", types::ieee);
          },
          [](Graph& g) {
            g.ints("list", g.Node::ints(g.has_attr("pads") ? "pads" : "paddings"));  // version 1 called it so
            const float value = g.get("value", 0.0f);
            if (value != 0) {
              g.scalar("number", value);
              g.node("CastLike", {"number", "data"}, {"typed"});
            }
            g.node("Pad", {"data", "list", value != 0 ? "typed" : ""}, {"output"}).attr_from("mode");
          })
      .pure();
  op.earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("T", types::tensor); })
      .earlier(18)
      .earlier(13, [](Op& o) { o.drop("axes").drop("Tind"); })
      .earlier(11, [](Op& o) { o.types("T", types::numeric_before_bfloat); })
      .earlier(1, [](Op& o) { o.drop("pads").required_attr("paddings", OG_ATTR_INTS); });
}

}  // namespace
