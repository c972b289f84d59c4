// Slice: a range with a step along each of some axes.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

struct Range {
  int64_t start = 0, count = 0, step = 1;
};

// ONNX's clamping of start and end for one axis of `dim` elements.
Range clamp(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (step == 0) fail("steps holds a zero");
  if (dim == 0) return Range{0, 0, step};
  const auto wrap = [&](int64_t position) { return position < 0 ? position + dim : position; };
  Range range;
  range.step = step;
  if (step > 0) {
    start = std::clamp<int64_t>(wrap(start), 0, dim);
    end = std::clamp<int64_t>(wrap(end), 0, dim);
    range.count = end > start ? (end - start - 1) / step + 1 : 0;
  } else {
    start = std::clamp<int64_t>(wrap(start), 0, dim - 1);
    end = end < -dim ? -1 : std::clamp<int64_t>(wrap(end), -1, dim - 1);
    if (step == INT64_MIN) step = INT64_MIN + 1;
    range.count = start > end ? (start - end - 1) / -step + 1 : 0;
  }
  range.start = start;
  return range;
}

struct Slices {
  std::vector<int64_t> starts, ends, axes, steps;
  void check(int64_t ndim) {
    if (axes.empty())
      for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (steps.empty()) steps.assign(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
      fail("starts, ends, axes and steps have " + std::to_string(starts.size()) + ", " + std::to_string(ends.size()) +
           ", " + std::to_string(axes.size()) + " and " + std::to_string(steps.size()) +
           " entries; they must have the same number");
    axes = normalize_axes(axes, ndim);
  }
};

void infer(Infer& c) {
  if (!c.ranked(0)) return c.out(0, c.dtype(0));
  Dims dims = c.dims(0);
  const auto starts = c.integers(1), ends = c.integers(2);
  const auto axes = c.has(3) ? c.known_integers(3) : std::vector<int64_t>{};
  const auto steps = c.has(4) ? c.known_integers(4) : std::vector<int64_t>{};
  if (!starts || !ends || !axes || !steps) {
    for (auto& dim : dims) dim = kUnknown;
    return c.out(0, c.dtype(0), dims);
  }
  Slices s{*starts, *ends, *axes, *steps};
  s.check(c.ndim(0));
  for (size_t i = 0; i < s.axes.size(); ++i) {
    int64_t& dim = dims[static_cast<size_t>(s.axes[i])];
    const int64_t start = s.starts[i], end = s.ends[i], step = s.steps[i];
    if (is_known(dim) && is_known(start) && is_known(end))
      dim = clamp(start, end, step, dim).count;
    else if (start == 0 && step == 1 && (end == dim || end == INT64_MAX || end == INT32_MAX))
      continue;
    else if (is_known(start) && start > 0 && step == 1 && (end == INT64_MAX || end == INT32_MAX))
      dim = c.max(c.sub(dim, start), 0);
    else if (start == 0 && step == 1 && is_known(end) && end < 0)
      dim = c.max(c.add(dim, end), 0);
    else
      dim = kUnknown;
  }
  c.out(0, c.dtype(0), dims);
  const auto values = c.integers(0);
  if (values && c.ndim(0) == 1 && s.axes.size() == 1 && is_known(s.starts[0]) && is_known(s.ends[0])) {
    const Range range = clamp(s.starts[0], s.ends[0], s.steps[0], static_cast<int64_t>(values->size()));
    std::vector<int64_t> result;
    for (int64_t i = 0; i < range.count; ++i)
      result.push_back((*values)[static_cast<size_t>(range.start + i * range.step)]);
    c.out_integers(0, result);
  }
}

void run(Run& r) {
  const Tensor x = r.input(0);
  Slices s{r.input(1).integers(), r.input(2).integers(), r.has(3) ? r.input(3).integers() : std::vector<int64_t>{},
           r.has(4) ? r.input(4).integers() : std::vector<int64_t>{}};
  s.check(x.ndim());
  Dims dims = x.shape();
  std::vector<int64_t> steps = row_major_strides(dims);
  int64_t offset = 0;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(s.axes[i]);
    const Range range = clamp(s.starts[i], s.ends[i], s.steps[i], dims[axis]);
    if (range.count > 0) offset += range.start * steps[axis];
    steps[axis] *= range.step;
    dims[axis] = range.count;
  }
  move_elements(r, dims, steps, offset);
}

OG_OP(Slice, "", 13) {
  op.doc("The elements from `starts` up to `ends` along `axes`, every `steps`-th.")
      .input("data", "T")
      .input("starts", "Tind")
      .input("ends", "Tind")
      .input("axes", "Tind", optional)
      .input("steps", "Tind", optional)
      .output("output", "T")
      .types("T", types::tensor)
      .types("Tind", {i32, i64})
      .infer(&infer)
      .kernel(cpu, &run)
      .version(
          11,
          [](Op& o) {
            o.input("data", "T")
                .input("starts", "Tind")
                .input("ends", "Tind")
                .input("axes", "Tind", optional)
                .input("steps", "Tind", optional)
                .output("output", "T")
                .types("T", types::tensor_before_bfloat)
                .types("Tind", {i32, i64});
          },
          [](Graph& g) {
            g.node("Slice", {"data", "starts", "ends", "axes", "steps"}, {"output"});
          })
      .version(
          1,
          [](Op& o) {
            o.input("data", "T")
                .output("output", "T")
                .types("T", types::tensor_before_bfloat)
                .optional_attr("axes", OG_ATTR_INTS)
                .required_attr("starts", OG_ATTR_INTS)
                .required_attr("ends", OG_ATTR_INTS);
          },
          [](Graph& g) {
            g.ints("starts", g.Node::ints("starts"));
            g.ints("ends", g.Node::ints("ends"));
            if (g.has_attr("axes")) g.ints("axes", g.Node::ints("axes"));
            g.node("Slice", {"data", "starts", "ends", g.has_attr("axes") ? "axes" : ""}, {"output"});
          })
      .pure();
  op.earlier(10);
}

}  // namespace
