// TensorScatter: a cache in which each batch entry's update is written at its own position along an axis.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

bool circular(const Node& node) {
  const std::string mode = node.get("mode", "linear");
  if (mode != "linear" && mode != "circular") fail("mode is \"" + mode + "\", expected linear or circular");
  return mode == "circular";
}

OG_OP(TensorScatter, "", 24) {
  op.doc("past_cache with `update` written from write_indices[batch] on along `axis`; circular mode wraps around.")
      .input("past_cache", "T")
      .input("update", "T")
      .input("write_indices", "tensor(int64)", optional)
      .output("present_cache", "T")
      .attr("axis", -2)
      .attr("mode", "linear")
      .types("T", types::tensor_24)
      .infer([](Infer& c) {
        circular(c);
        if (c.ranked(0)) normalize_axis(c.get("axis", int64_t(-2)), c.ndim(0));
        c.same(0, 0);
      })
      .kernel(
          cpu,
          [](Run& r) {
            const Tensor cache = r.input(0), update = r.input(1);
            const int axis = static_cast<int>(normalize_axis(r.get("axis", int64_t(-2)), cache.ndim()));
            if (axis == 0) fail("axis must not be the batch axis");
            if (update.ndim() != cache.ndim()) fail("update and past_cache must have the same rank");
            for (int d = 0; d < cache.ndim(); ++d)
              if (d != axis && update.dim(d) != cache.dim(d))
                fail("update " + to_string(update.shape()) + " does not fit in past_cache " + to_string(cache.shape()));
            const int64_t batch = cache.dim(0), size = cache.dim(axis), count = update.dim(axis);
            std::vector<int64_t> first(static_cast<size_t>(batch), 0);
            if (r.has(2)) first = r.input(2).integers();
            if (static_cast<int64_t>(first.size()) != batch)
              fail("write_indices has " + std::to_string(first.size()) + " entries for a batch of " +
                   std::to_string(batch));
            const bool wrap = circular(r);
            for (const int64_t at : first)
              if (at < 0 || (wrap ? size == 0 && count > 0 : at > size - count))
                fail("write index " + std::to_string(at) + " with " + std::to_string(count) +
                     " entries leaves an axis of size " + std::to_string(size));
            const Tensor y = r.output(0, cache.shape());
            const int64_t outer = cache.product(1, axis), inner = cache.product(axis + 1, cache.ndim());
            const auto write = [&](auto move) {
              for (int64_t b = 0; b < batch; ++b)
                for (int64_t o = 0; o < outer; ++o)
                  for (int64_t k = 0; k < count; ++k) {
                    const int64_t at =
                        wrap ? (first[static_cast<size_t>(b)] % size + k) % size : first[static_cast<size_t>(b)] + k;
                    move(((b * outer + o) * size + at) * inner, ((b * outer + o) * count + k) * inner);
                  }
            };
            if (cache.dtype() == str) {
              for (int64_t i = 0; i < cache.numel(); ++i) r.set_string(0, i, r.string(0, i));
              return write([&](int64_t to, int64_t from) {
                for (int64_t j = 0; j < inner; ++j) r.set_string(0, to + j, r.string(1, from + j));
              });
            }
            if (is_packed(cache.dtype())) {
              std::vector<uint8_t> all = unpack_elements(cache);
              const std::vector<uint8_t> part = unpack_elements(update);
              write([&](int64_t to, int64_t from) { std::copy_n(part.begin() + from, inner, all.begin() + to); });
              return pack_elements(all, y);
            }
            if (y.bytes()) std::memcpy(y.data(), cache.data(), y.bytes());
            const int64_t bytes = element_bytes(cache);
            write([&](int64_t to, int64_t from) {
              std::memcpy(y.data<char>() + to * bytes, update.data<char>() + from * bytes,
                          static_cast<size_t>(inner * bytes));
            });
          })
      .pure();
}

}  // namespace
