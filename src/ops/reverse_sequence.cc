// ReverseSequence: the first elements of each sequence in reverse order.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

OG_OP(ReverseSequence, "", 28) {
  op.doc("Along time_axis, the first sequence_lens[b] elements of batch entry b are reversed; the rest stays.")
      .input("input", "T")
      .input("sequence_lens", "tensor(int64)")
      .output("Y", "T")
      .attr("batch_axis", 1)
      .attr("time_axis", 0)
      .types("T", types::tensor)
      .infer([](Infer& c) { c.same(0, 0); })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const int batch_axis =
                    static_cast<int>(normalize_axis(r.get("batch_axis", int64_t(1)), x.ndim(), "batch_axis"));
                const int time_axis =
                    static_cast<int>(normalize_axis(r.get("time_axis", int64_t(0)), x.ndim(), "time_axis"));
                if (batch_axis == time_axis || batch_axis > 1 || time_axis > 1)
                  fail("batch_axis and time_axis must be 0 and 1 in either order");
                const auto lengths = r.input(1).integers();
                const int64_t batches = x.dim(batch_axis), times = x.dim(time_axis), row = x.product(2, x.ndim());
                if (static_cast<int64_t>(lengths.size()) != batches)
                  fail("sequence_lens has " + std::to_string(lengths.size()) + " entries for " +
                       std::to_string(batches) + " sequences");
                const Tensor y = r.output(0, x.shape());
                const int64_t bytes = x.dtype() == str ? 0 : row * element_bytes(x);
                for (int64_t b = 0; b < batches; ++b) {
                  const int64_t length = lengths[static_cast<size_t>(b)];
                  if (length < 0 || length > times)
                    fail("sequence length " + std::to_string(length) + " is not in [0, " + std::to_string(times) + "]");
                  for (int64_t t = 0; t < times; ++t) {
                    const int64_t source = t < length ? length - 1 - t : t;
                    const int64_t to = batch_axis == 0 ? b * times + t : t * batches + b,
                                  from = batch_axis == 0 ? b * times + source : source * batches + b;
                    if (x.dtype() == str) {
                      for (int64_t j = 0; j < row; ++j) r.set_string(0, to * row + j, r.string(0, from * row + j));
                    } else {
                      std::memcpy(y.data<char>() + to * bytes, x.data<char>() + from * bytes,
                                  static_cast<size_t>(bytes));
                    }
                  }
                }
              })
      .pure();
  op.earlier(10, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
