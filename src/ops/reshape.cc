// Reshape: the same elements with other dims.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

void infer(Infer& c) {
  const auto shape = c.integers(1);
  if (!shape) {
    const int64_t rank = c.ndim(1) == 1 ? c.dim(1, 0) : kUnknown;
    if (is_known(rank) && rank < 64) return c.out(0, c.dtype(0), Dims(static_cast<size_t>(rank), kUnknown));
    return c.out(0, c.dtype(0));
  }
  const bool allow_zero = c.get("allowzero", 0);
  const bool ranked = c.ranked(0);
  const Dims in = c.dims(0);
  Dims out = *shape;
  int inferred = -1;
  for (size_t i = 0; i < out.size(); ++i) {
    if (is_symbol(out[i])) continue;
    if (out[i] == 0 && !allow_zero) {
      if (ranked && i >= in.size())
        fail("entry " + std::to_string(i) + " of shape is 0 (copy), but the input has rank " +
             std::to_string(in.size()));
      out[i] = ranked ? in[i] : kUnknown;
    } else if (out[i] == -1) {
      if (inferred >= 0) fail("shape " + to_string(*shape) + " has more than one -1");
      inferred = static_cast<int>(i);
    } else if (out[i] < 0) {
      fail("shape " + to_string(*shape) + " has the negative entry " + std::to_string(out[i]));
    }
  }
  // Equal factors on both sides cancel, so that symbols survive.
  Dims left = in, right;
  for (size_t i = 0; i < out.size(); ++i)
    if (static_cast<int>(i) != inferred) right.push_back(out[i]);
  if (!ranked) left.push_back(kUnknown);
  for (auto factor = right.begin(); factor != right.end();) {
    const auto same = std::find(left.begin(), left.end(), *factor);
    if (is_symbol(*factor) && *factor != kUnknown && same != left.end()) {
      left.erase(same);
      factor = right.erase(factor);
    } else {
      ++factor;
    }
  }
  int64_t have = 1, want = 1;
  for (int64_t dim : left) have = c.mul(have, dim);
  for (int64_t dim : right) want = c.mul(want, dim);
  if (inferred >= 0) {
    int64_t& dim = out[static_cast<size_t>(inferred)];
    if (is_known(have) && is_known(want)) {
      if (want == 0 ? have != 0 : have % want != 0)
        fail("an input of dims " + to_string(in) + " cannot have the shape " + to_string(*shape));
      dim = want == 0 ? 0 : have / want;
    } else {
      dim = want == 1 ? have : is_known(want) && want > 0 ? c.floor_div(have, want) : kUnknown;
    }
  } else if (is_known(have) && is_known(want) && have != want) {
    fail("an input of dims " + to_string(in) + " (" + std::to_string(have) + " elements) cannot have the shape " +
         to_string(*shape));
  }
  c.out(0, c.dtype(0), out);
  if (const auto values = c.integers(0))
    if (out.size() <= 1) c.out_integers(0, *values, out.empty());
}

void run(Run& r) {
  const Tensor x = r.input(0);
  Dims dims = r.input(1).integers();
  const bool allow_zero = r.get("allowzero", 0);
  int64_t known = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allow_zero && static_cast<int>(i) < x.ndim()) dims[i] = x.dim(static_cast<int64_t>(i));
    if (dims[i] != -1) known *= dims[i];
  }
  for (auto& dim : dims)
    if (dim == -1) dim = known ? x.numel() / known : 0;
  const Tensor y = r.output(0, dims);
  if (y.numel() != x.numel())
    fail("an input of dims " + to_string(x.shape()) + " cannot have the shape " + to_string(dims));
  if (x.dtype() == str) {
    for (int64_t i = 0; i < x.numel(); ++i) r.set_string(0, i, r.string(0, i));
  } else if (x.bytes()) {
    std::memcpy(y.data(), x.data(), x.bytes());
  }
}

OG_OP(Reshape, "", 25) {
  op.doc("The input's elements in order with the dims of `shape`: 0 copies a dim, -1 is worked out.")
      .input("data", "T")
      .input("shape", "tensor(int64)")
      .output("reshaped", "T")
      .attr("allowzero", 0)
      .types("T", types::all)
      .infer(&infer)
      .alias(0, 0)
      .kernel(cpu, &run)
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("T", types::tensor_19); })
      .earlier(14, [](Op& o) { o.types("T", types::tensor); })
      .earlier(13, [](Op& o) { o.drop("allowzero"); })
      .earlier(5, [](Op& o) { o.types("T", types::tensor_before_bfloat); })
      .earlier(
          1,
          [](Op& o) {
            o.drop("shape")
                .optional_attr("consumed_inputs", OG_ATTR_INTS)
                .optional_attr("shape", OG_ATTR_INTS)
                .types("T", types::ieee);
          },
          [](Graph& g) {
            g.ints("dims", g.Node::ints("shape"));
            g.node("Reshape", {"data", "dims"}, {"reshaped"});
          });
}

}  // namespace
