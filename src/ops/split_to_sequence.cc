// SplitToSequence: parts of a tensor along an axis, as a sequence.
#include <opgraft/sequence.h>
using namespace opgraft;
namespace {

void run(Run& r) {
  const Tensor x = r.input(0);
  const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
  const int64_t size = x.dim(axis), outer = x.product(0, axis), inner = x.product(axis + 1, x.ndim());
  std::vector<int64_t> sizes;
  bool keep = true;
  if (!r.has(1)) {
    sizes.assign(static_cast<size_t>(size), 1);
    keep = r.get("keepdims", 1);
  } else if (r.input(1).ndim() == 0) {
    const int64_t step = r.input(1).integers()[0];
    if (step < 1) fail("split is " + std::to_string(step) + ", it must be at least 1");
    for (int64_t at = 0; at < size; at += step) sizes.push_back(std::min(step, size - at));
  } else {
    sizes = r.input(1).integers();
    int64_t total = 0;
    for (const int64_t part : sizes) {
      if (part < 0 || part > size)
        fail("split has the entry " + std::to_string(part) + " for an axis of " + std::to_string(size));
      total += part;
    }
    if (total != size)
      fail("the parts of split add up to " + std::to_string(total) + ", the axis has " + std::to_string(size));
  }
  if (is_packed(x.dtype())) fail("elements smaller than a byte cannot be split");
  r.append(0, absent_value());
  int64_t begin = 0;
  for (const int64_t part : sizes) {
    Dims dims = x.shape();
    if (keep)
      dims[static_cast<size_t>(axis)] = part;
    else
      dims.erase(dims.begin() + axis);
    og_value value = x.raw();
    value.tensor.ndim = static_cast<int32_t>(dims.size());
    value.tensor.shape = dims.data();
    if (x.dtype() == str) fail("strings cannot be split into a sequence");
    const int64_t bytes = element_bytes(x);
    std::vector<char> buffer(static_cast<size_t>(outer * part * inner * bytes) + 1);
    for (int64_t o = 0; o < outer; ++o)
      std::memcpy(buffer.data() + o * part * inner * bytes, x.data<char>() + (o * size + begin) * inner * bytes,
                  static_cast<size_t>(part * inner * bytes));
    value.tensor.data = buffer.data();
    value.bytes = static_cast<uint64_t>(outer * part * inner * bytes);
    r.append(0, value);
    begin += part;
  }
}

OG_OP(SplitToSequence, "", 24) {
  op.doc("Parts of the input along `axis`: of `split` elements each, of the sizes in `split`, or of one element.")
      .input("input", "T")
      .input("split", "I", optional)
      .output("output_sequence", "S")
      .attr("axis", 0)
      .attr("keepdims", 1)
      .types("T", types::tensor)
      .types("I", {i32, i64})
      .type_strings("S", types::listed("seq(tensor(", types::tensor, "))"))
      .infer([](Infer& c) {
        if (!c.ranked(0)) return out_container(c, 0, OG_SEQUENCE, tensor_type(c.dtype(0)));
        Dims dims = c.dims(0);
        const auto axis = normalize_axis(c.get("axis", int64_t(0)), c.ndim(0));
        const auto sizes = c.has(1) ? c.known_integers(1) : std::optional(std::vector<int64_t>{1});
        int64_t& dim = dims[static_cast<size_t>(axis)];
        if (!c.has(1) && !c.get("keepdims", 1)) {
          dims.erase(dims.begin() + axis);
        } else {
          const int64_t whole = dim;
          dim = kUnknown;
          if (sizes && !sizes->empty()) {
            const bool same = std::all_of(sizes->begin(), sizes->end(), [&](int64_t n) { return n == sizes->front(); });
            const bool scalar = c.has(1) && c.ranked(1) && c.ndim(1) == 0;
            if (same && (!scalar || (!is_symbol(whole) && (*sizes)[0] > 0 && whole % (*sizes)[0] == 0)))
              dim = sizes->front();
          }
        }
        out_container(c, 0, OG_SEQUENCE, tensor_type(c.dtype(0), static_cast<int32_t>(dims.size()), dims.data()));
      })
      .kernel(cpu, &run)
      .pure();
  op.earlier(11, [](Op& o) {
    o.types("T", types::tensor_before_bfloat)
        .type_strings("S", types::listed("seq(tensor(", types::tensor_before_bfloat, "))"));
  });
}

}  // namespace
