// Dropout: the identity at inference; in training mode elements are zeroed at random and the rest scaled.
#include <random>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// Before version 10 the mask had the type of the data.
void raise_with_numeric_mask(Graph& g, bool training) {
  std::vector<std::string> inputs{"data"};
  if (training) {
    g.scalar("ratio", g.get("ratio", 0.5f));
    g.scalar("training_mode", true);
    inputs.insert(inputs.end(), {"ratio", "training_mode"});
  }
  const bool masked = g.uses_output(1);
  g.node("Dropout", inputs, {"output", masked ? "kept" : ""});
  if (masked) g.node("CastLike", {"kept", "data"}, {"mask"});
}

OG_OP(Dropout, "", 22) {
  op.doc("The input; in training mode each element is kept with probability 1 - ratio and scaled by 1 / (1 - ratio).")
      .input("data", "T")
      .input("ratio", "T1", optional)
      .input("training_mode", "T2", optional)
      .output("output", "T")
      .output("mask", "T2", optional)
      .optional_attr("seed", OG_ATTR_INT)
      .types("T", types::floats + types::float8)
      .types("T1", types::floats + types::float8)
      .types("T2", {boolean})
      .infer([](Infer& c) {
        c.same(0, 0);
        if (c.ranked(0))
          c.out(1, boolean, c.dims(0));
        else
          c.out(1, boolean);
      })
      .body([](Graph& g) {  // not in training mode and no mask wanted: nothing happens
        if (g.uses_output(1)) return false;
        if (g.has(2)) {
          const auto mode = g.value(2);
          if (!mode || *static_cast<const bool*>(mode->tensor.data)) return false;
        }
        g.node("Identity", {"data"}, {"output"});
        return true;
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0), y = r.output(0, x.shape());
                const bool training = r.has(2) && *r.in<bool>(2);
                double ratio = 0.5;
                if (r.has(1)) {
                  const void* data = r.input(1).data();
                  switch (r.dtype(1)) {
                    case f64:
                      ratio = *static_cast<const double*>(data);
                      break;
                    case f16:
                      ratio = *static_cast<const half_t*>(data);
                      break;
                    case bf16:
                      ratio = *static_cast<const bfloat_t*>(data);
                      break;
                    default:
                      ratio = *static_cast<const float*>(data);
                  }
                }
                bool* mask = r.uses_output(1) ? r.output(1, x.shape()).data<bool>() : nullptr;
                if (!training || ratio == 0) {
                  if (x.bytes()) std::memcpy(y.data(), x.data(), x.bytes());
                  if (mask) std::fill(mask, mask + x.numel(), true);
                  return;
                }
                if (dtype_bits(x.dtype()) == 8)
                  fail(std::string("training of ") + dtype_name(x.dtype()) + " is not possible");
                if (!(ratio >= 0 && ratio < 1)) fail("ratio = " + std::to_string(ratio) + " must be in [0, 1)");
                std::mt19937_64 generator(r.has_attr("seed") ? static_cast<uint64_t>(r.get("seed", int64_t(0)))
                                                             : std::random_device{}());
                std::uniform_real_distribution<double> uniform;
                const double scale = 1 / (1 - ratio);
                for (int64_t i = 0; i < x.numel(); ++i) {
                  const bool keep = uniform(generator) >= ratio;
                  if (mask) mask[i] = keep;
                  if (x.dtype() == f64)
                    y.data<double>()[i] = keep ? x.data<double>()[i] * scale : 0;
                  else if (x.dtype() == f32)
                    y.data<float>()[i] = keep ? static_cast<float>(x.data<float>()[i] * scale) : 0;
                  else if (x.dtype() == f16)
                    y.data<half_t>()[i] = half_t(keep ? static_cast<float>(x.data<half_t>()[i] * scale) : 0.f);
                  else
                    y.data<bfloat_t>()[i] = bfloat_t(keep ? static_cast<float>(x.data<bfloat_t>()[i] * scale) : 0.f);
                }
              })
      .purity(Purity::random)
      .version(
          13,
          [](Op& o) {
            o.input("data", "T")
                .input("ratio", "T1", optional)
                .input("training_mode", "T2", optional)
                .output("output", "T")
                .output("mask", "T2", optional)
                .optional_attr("seed", OG_ATTR_INT)
                .types("T", types::floats)
                .types("T1", types::ieee)
                .types("T2", {boolean});
          },
          [](Graph& g) {
            g.node("Dropout", {"data", "ratio", "training_mode"}, {"output", g.uses_output(1) ? "mask" : ""})
                .attr_from("seed");
          })
      .version(
          10,
          [](Op& o) {
            o.input("data", "T")
                .output("output", "T")
                .output("mask", "T1", optional)
                .attr("ratio", 0.5f)
                .types("T", {f16, f32, f64})
                .types("T1", {boolean});
          },
          [](Graph& g) {
            g.node("Dropout", {"data"}, {"output", g.uses_output(1) ? "mask" : ""});
          })
      .version(
          7,
          [](Op& o) {
            o.input("data", "T")
                .output("output", "T")
                .output("mask", "T", optional)
                .attr("ratio", 0.5f)
                .types("T", {f16, f32, f64});
          },
          [](Graph& g) { raise_with_numeric_mask(g, false); })
      .version(
          6,
          [](Op& o) {
            o.input("data", "T")
                .output("output", "T")
                .output("mask", "T", optional)
                .attr("is_test", 0)
                .attr("ratio", 0.5f)
                .types("T", {f16, f32, f64});
          },
          [](Graph& g) { raise_with_numeric_mask(g, g.get("is_test", 0) == 0); })
      .earlier(1, [](Op& o) { o.optional_attr("consumed_inputs", OG_ATTR_INTS); });
  op.earlier(12, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
