// MaxUnpool: the elements that MaxPool kept back at their places, zeros elsewhere.
#include <opgraft/nn.h>
#include <opgraft/op.h>
using namespace opgraft;
namespace {

// Dims of the input of the MaxPool that this one undoes.
Dims unpooled(const Node& node, const Dims& x) {
  const auto kernel = node.ints("kernel_shape");
  auto strides = node.ints("strides"), pads = node.ints("pads");
  const size_t n = kernel.size();
  if (strides.empty()) strides.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  if (x.size() != n + 2 || strides.size() != n || pads.size() != 2 * n)
    fail("kernel_shape, strides and pads must fit the " + std::to_string(x.size()) + " axes of X");
  Dims dims{x[0], x[1]};
  for (size_t i = 0; i < n; ++i) {
    for (const int64_t number : {kernel[i], strides[i], pads[i], pads[n + i]})
      if (number < 0 || number > kMaxWindow) fail("an entry of kernel_shape, strides or pads is out of range");
    const int64_t size = x[i + 2];
    dims.push_back(is_symbol(size) ? kUnknown : (size - 1) * strides[i] - pads[i] - pads[n + i] + kernel[i]);
    if (!is_symbol(dims.back()) && dims.back() < 0)
      fail("axis " + std::to_string(i + 2) + " would have a negative size");
  }
  return dims;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const Dims inner = unpooled(r, x.shape());
  Dims outer = inner;
  if (r.has(2)) {
    const auto given = r.input(2).integers();
    outer.assign(given.begin(), given.end());
    if (outer.size() != inner.size()) fail("output_shape must have " + std::to_string(inner.size()) + " entries");
    for (size_t i = 0; i < outer.size(); ++i)
      if (outer[i] < inner[i]) fail("output_shape " + to_string(outer) + " is smaller than " + to_string(inner));
  }
  if (r.input(1).shape() != x.shape()) fail("I must have the dims of X");
  const Tensor y = r.output(0, outer);
  if (y.bytes()) std::memset(y.data(), 0, y.bytes());
  int64_t total = 1;
  for (const int64_t dim : inner) total *= dim;
  const int64_t* index = r.in<int64_t>(1);
  for (int64_t i = 0; i < x.numel(); ++i) {
    int64_t rest = index[i], to = 0, step = 1;
    if (rest < 0 || rest >= total)
      fail("index " + std::to_string(rest) + " is not in [0, " + std::to_string(total) + ")");
    for (size_t axis = inner.size(); axis-- > 0;) {
      to += rest % inner[axis] * step;
      rest /= inner[axis];
      step *= outer[axis];
    }
    y.data<T>()[to] = x.data<T>()[i];
  }
}

OG_OP(MaxUnpool, "", 22) {
  op.doc("X at the places that I names in the image that was pooled, zeros elsewhere.")
      .input("X", "T1")
      .input("I", "T2")
      .input("output_shape", "T2", optional)
      .output("output", "T1")
      .required_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .types("T1", types::floats)
      .types("T2", {i64})
      .infer([](Infer& c) {
        if (c.has(2)) {
          if (const auto dims = c.integers(2)) return c.out(0, c.dtype(0), Dims(dims->begin(), dims->end()));
          return c.out(0, c.dtype(0));
        }
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        c.out(0, c.dtype(0), unpooled(c, c.dims(0)));
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>);
  op.earlier(11, [](Op& o) { o.types("T1", types::ieee); }).earlier(9);
}

}  // namespace
