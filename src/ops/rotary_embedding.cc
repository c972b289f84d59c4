// RotaryEmbedding: pairs of features turned by an angle that depends on the position.
// Source: Su et al., "RoFormer" (2021).
#include <opgraft/op.h>
using namespace opgraft;
namespace {

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0), cosines = r.input(1), sines = r.input(2);
  const bool flat = x.ndim() == 3, interleaved = r.get("interleaved", 0);
  int64_t heads = r.get("num_heads", int64_t(0)), length, width;
  const int64_t batch = x.dim(0);
  if (flat) {  // [batch, length, heads * width]
    if (heads < 1 || x.dim(2) % heads != 0)
      fail("num_heads = " + std::to_string(heads) + " must divide the last axis of X, " + std::to_string(x.dim(2)));
    length = x.dim(1), width = x.dim(2) / heads;
  } else {
    heads = x.dim(1), length = x.dim(2), width = x.dim(3);
  }
  int64_t turned = r.get("rotary_embedding_dim", int64_t(0));
  if (turned == 0) turned = width;
  if (turned < 0 || turned > width || turned % 2 != 0)
    fail("rotary_embedding_dim = " + std::to_string(turned) + " must be even and at most " + std::to_string(width));
  const int64_t half = turned / 2;
  if (cosines.dim(-1) != half || sines.shape() != cosines.shape())
    fail("cos_cache " + to_string(cosines.shape()) + " and sin_cache " + to_string(sines.shape()) + " must have " +
         std::to_string(half) + " columns");
  std::vector<int64_t> positions;
  const bool indexed = r.has(3);
  if (indexed) {
    if (cosines.ndim() != 2) fail("with position_ids the caches must have 2 axes");
    positions = r.input(3).integers();
    if (static_cast<int64_t>(positions.size()) != batch * length) fail("position_ids must be [batch, length]");
    for (const int64_t at : positions)
      if (at < 0 || at >= cosines.dim(0))
        fail("position " + std::to_string(at) + " is not in [0, " + std::to_string(cosines.dim(0)) + ")");
  } else if (cosines.numel() != batch * length * half) {
    fail("without position_ids the caches must be [batch, length, " + std::to_string(half) + "]");
  }
  const T* from = x.data<T>();
  T* to = r.output(0, x.shape()).template data<T>();
  r.parallel_for(batch * length * heads, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, width)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t item = begin; item < end; ++item) {
                     // Items are rows of `width` features as they stand in memory.
                     const int64_t row = flat ? item / heads : item / (heads * length) * length + item % length;
                     const int64_t cache = (indexed ? positions[static_cast<size_t>(row)] : row) * half;
                     const T* c = cosines.data<T>() + cache;
                     const T* s = sines.data<T>() + cache;
                     const T* in = from + item * width;
                     T* out = to + item * width;
                     for (int64_t k = 0; k < half; ++k) {
                       const int64_t a = interleaved ? 2 * k : k, b = interleaved ? 2 * k + 1 : k + half;
                       const T real = in[a], imaginary = in[b];
                       out[a] = c[k] * real - s[k] * imaginary;
                       out[b] = s[k] * real + c[k] * imaginary;
                     }
                     for (int64_t k = turned; k < width; ++k) out[k] = in[k];
                   }
                 });
}

OG_OP(RotaryEmbedding, "", 23) {
  op.doc(
        "Pairs of the first rotary_embedding_dim features of each head turned by the angles whose cosines and sines "
        "are given.")
      .input("X", "T")
      .input("cos_cache", "T")
      .input("sin_cache", "T")
      .input("position_ids", "M", optional)
      .output("Y", "T")
      .attr("interleaved", 0)
      .optional_attr("num_heads", OG_ATTR_INT)
      .attr("rotary_embedding_dim", 0)
      .types("T", {f16, f32, bf16})
      .types("M", {i64})
      .infer([](Infer& c) {
        if (c.ranked(0) && c.ndim(0) != 3 && c.ndim(0) != 4)
          fail("X must have 3 or 4 axes, it has " + std::to_string(c.ndim(0)));
        c.same(0, 0);
      })
      .pure()
      .kernel(cpu, f32, &run<float>);
}

}  // namespace
