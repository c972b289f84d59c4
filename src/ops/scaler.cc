// Scaler: (X - offset) * scale, for all elements or feature by feature.
#include <opgraft/scores.h>
#include <opgraft/vectorize.h>
using namespace opgraft;
namespace {

struct Factors {
  std::vector<float> offset, scale;
  bool each() const { return scale.size() > 1; }
};

// `features`: the last dim of X, kUnknown when it is not known.
Factors factors_of(const Node& node, int64_t ndim, int64_t features) {
  Factors f{node.floats("offset"), node.floats("scale")};
  if (f.offset.empty() && f.scale.empty()) fail("neither scale nor offset is given");
  if (f.offset.empty()) f.offset.assign(f.scale.size(), 0.0f);
  if (f.scale.empty()) f.scale.assign(f.offset.size(), 1.0f);
  if (f.offset.size() != f.scale.size())
    fail("scale has " + std::to_string(f.scale.size()) + " entries and offset " + std::to_string(f.offset.size()) +
         "; both need the same number");
  const auto count = static_cast<int64_t>(f.scale.size());
  if (f.each() && ndim >= 0 && (ndim == 0 || (is_known(features) && features != count)))
    fail("scale and offset have " + std::to_string(count) + " entries, they must have 1 or one per feature" +
         (ndim == 0 ? ", and X has none" : " (" + std::to_string(features) + ")"));
  return f;
}

template <class T>
void run(Run& r) {
  const Tensor x = r.input(0);
  const int64_t features = x.ndim() ? x.dim(-1) : 1;
  const Factors f = factors_of(r, x.ndim(), features);
  const T* from = x.data<T>();
  float* to = r.output(0, x.shape()).data<float>();
  // Doubles keep their precision until the end, as do integers that a float cannot hold.
  using Wide = std::conditional_t<std::is_same_v<T, float>, float, double>;
  if (!f.each()) {
    const Wide offset = f.offset[0], scale = f.scale[0];
    return r.parallel_for(x.numel(), 16384, [&](int64_t begin, int64_t end) {
      vectorize([=]() OG_SIMD {
        for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>((static_cast<Wide>(from[i]) - offset) * scale);
      });
    });
  }
  const float *offset = f.offset.data(), *scale = f.scale.data();
  r.parallel_for(x.numel() / features, 16384 / features + 1, [&](int64_t begin, int64_t end) {
    vectorize([=]() OG_SIMD {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t i = 0; i < features; ++i)
          to[row * features + i] =
              static_cast<float>((static_cast<Wide>(from[row * features + i]) - static_cast<Wide>(offset[i])) *
                                 static_cast<Wide>(scale[i]));
    });
  });
}

OG_OP(Scaler, "ai.onnx.ml", 1) {
  op.doc("(X - offset) * scale as float, with one offset and scale for all or one per feature.")
      .input("X", "T")
      .output("Y", "tensor(float)")
      .optional_attr("offset", OG_ATTR_FLOATS)
      .optional_attr("scale", OG_ATTR_FLOATS)
      .types("T", {f32, f64, i64, i32})
      .infer([](Infer& c) {
        factors_of(c, c.ndim(0), c.ndim(0) > 0 ? c.dims(0).back() : kUnknown);
        if (!c.ranked(0)) return c.out(0, f32);
        c.out(0, f32, c.dims(0));
      })
      .pure()
      .kernel(cpu, f32, &run<float>)
      .kernel(cpu, f64, &run<double>)
      .kernel(cpu, i64, &run<int64_t>)
      .kernel(cpu, i32, &run<int32_t>);
}

}  // namespace
