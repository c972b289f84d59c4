// opgraft.FusedConv: a convolution with a residual and an activation at its end, and the patterns that make it.
#include <opgraft/broadcast.h>
#include <opgraft/conv.h>
#include <opgraft/fusion.h>
#include <opgraft/op.h>

#include <cstring>
#include <utility>
using namespace opgraft;
namespace {

constexpr int kResidual = 3;

// Dims of the convolution itself; the residual may broadcast it to more.
Dims known_conv_dims(const Node& node, const Dims& x, const Dims& w) {
  const Windows windows = read_windows(node, kernel_sizes(node, w));
  Dims y{x[0], w[0]};
  for (int i = 0; i < windows.spatial(); ++i)
    y.push_back(window_count(KnownDims{}, windows, i, x[static_cast<size_t>(i) + 2]));
  return y;
}

struct FusedConv {
  ConvService convolution;
  Activation activation;
  bool residual_last = false;
  const og_cpu_math* math = nullptr;

  struct Plan {
    ConvService::Plan conv;
    bool separate = false;  // the residual has other dims than the convolution: it is added in a pass of its own
    int64_t conv_count = 0;
    Broadcast<2> loop;
  };

  static bool supports(Prepare&) { return ConvService::available() && service<og_cpu_math>(OG_CPU_MATH) != nullptr; }
  void pack(Pack& p) {
    convolution.pack(p);
    activation = Activation(p);
    residual_last = p.get("residual_last", 0) != 0;
    math = service<og_cpu_math>(OG_CPU_MATH);
  }
  Plan prepare(Prepare& p) const {
    Plan plan;
    const Dims dims = known_conv_dims(p, p.dims(0), p.dims(1));
    plan.conv = convolution.prepare(p, dims);
    uint64_t bytes = plan.conv.scratch_bytes;
    plan.separate = p.has(kResidual) && p.dims(kResidual) != dims;
    if (plan.separate) {
      plan.loop = make_broadcast<2>({dims, p.dims(kResidual)}, p.output_dims(0));
      plan.conv_count = 1;
      for (int64_t dim : dims) plan.conv_count *= dim;
      bytes += static_cast<uint64_t>(plan.conv_count) * sizeof(float);
    }
    p.scratch(bytes);
    return plan;
  }
  void run(Run& r) const {
    const Plan& plan = r.plan<Plan>();
    og_epilogue epilogue = og_epilogue_init();
    epilogue.bias_m = r.has(2) ? r.in<float>(2) : nullptr;
    float* y = r.out<float>(0);
    if (!plan.separate) {
      activation.fill(epilogue);
      epilogue.residual = r.has(kResidual) ? r.in<float>(kResidual) : nullptr;
      epilogue.residual_last = residual_last ? 1 : 0;
    } else {
      y = reinterpret_cast<float*>(r.scratch<char>() + plan.conv.scratch_bytes);
    }
    convolution.run(plan.conv, r.in<float>(0), r.in<float>(1), y, &epilogue, r.scratch(), r.parallel());
    if (plan.separate) add_residual(r, plan, y);
  }
  void add_residual(Run& r, const Plan& plan, float* sums) const {
    if (residual_last) math->activate(activation.kind, activation.a, activation.b, sums, sums, plan.conv_count);
    const float* residual = r.in<float>(kResidual);
    float* y = r.out<float>(0);
    const int64_t step = plan.loop.steps[0].back(), residual_step = plan.loop.steps[1].back();
    for_each_row(r, plan.loop, [&](const auto& offsets, int64_t at, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        y[at + i] = sums[offsets[0] + i * step] + residual[offsets[1] + i * residual_step];
      if (!residual_last) math->activate(activation.kind, activation.a, activation.b, y + at, y + at, count);
    });
  }
};

const char* const kConvAttributes[] = {"auto_pad", "group", "dilations", "kernel_shape", "pads", "strides"};

void copy_conv_attributes(NewNode& node, const std::string& prefix) {
  for (const char* name : kConvAttributes) node.attr_from((prefix + name).c_str(), name);
}

void body(Graph& g) {
  const bool residual = g.has(kResidual), last = g.get("residual_last", 0) != 0;
  NewNode conv = g.node("Conv", {"X", "W", g.has(2) ? "B" : ""}, {"sum"});
  copy_conv_attributes(conv, "");
  if (residual && !last) g.node("Add", {"sum", "R"}, {"whole"});
  const char* before = residual && !last ? "whole" : "sum";
  add_activation(g, before, residual && last ? "active" : "Y", 0);
  if (residual && last) g.node("Add", {"active", "R"}, {"Y"});
}

OG_OP(FusedConv, "opgraft", 1) {
  op.doc("activation(Conv(X, W, B) + R), or activation(Conv(X, W, B)) + R when residual_last is 1.")
      .input("X", "T")
      .input("W", "T")
      .input("B", "T", optional)
      .input("R", "T", optional)
      .output("Y", "T")
      .attr("auto_pad", "NOTSET")
      .attr("group", 1)
      .optional_attr("dilations", OG_ATTR_INTS)
      .optional_attr("kernel_shape", OG_ATTR_INTS)
      .optional_attr("pads", OG_ATTR_INTS)
      .optional_attr("strides", OG_ATTR_INTS)
      .attr("residual_last", 0)
      .types("T", types::floats)
      .infer([](Infer& c) {
        const auto dims = conv_dims(c);
        if (dims && (!c.has(kResidual) || c.ranked(kResidual)))
          c.out(0, c.dtype(0), c.has(kResidual) ? broadcast_dims(*dims, c.dims(kResidual)) : *dims);
        else
          c.out(0, c.dtype(0));
      })
      .body(body)
      .pure()
      .flops([](Prepare& p) { return conv_flops(p.dims(1), p.output_dims(0)); })
      .kernel<FusedConv>(cpu, f32);
  define_activation(op);
}

// ---- patterns ----

bool worthwhile(const Graph& g) {
  return g.dtype(0) == f32 && ConvService::available() && service<og_cpu_math>(OG_CPU_MATH) != nullptr;
}

template <size_t kWhich>
bool activate_conv(Graph& g) {
  const auto activation = matched_activation(g, kWhich, 3);
  if (!activation || !worthwhile(g)) return false;
  NewNode node = g.node("FusedConv", {"x", "w", g.has(2) ? "b" : ""}, {"y"}, "opgraft");
  copy_conv_attributes(node, "c.");
  set_activation(node, *activation);
  return true;
}

// A fused convolution that has a residual, and no activation yet.
template <size_t kWhich>
bool activate_fused(Graph& g) {
  const auto activation = matched_activation(g, kWhich, 4);
  const bool free = std::string(g.get("c.activation", "")).empty() && g.get("c.residual_last", 0) == 0;
  if (!activation || !free || !worthwhile(g)) return false;
  NewNode node = g.node("FusedConv", {"x", "w", g.has(2) ? "b" : "", g.has(3) ? "r" : ""}, {"y"}, "opgraft");
  copy_conv_attributes(node, "c.");
  set_activation(node, *activation);
  return true;
}

// Whether an added value can be a residual: it looks as large as the convolution's output.
bool is_residual(const Graph& g, int index) {
  const Type x = g.type(0), w = g.type(1), r = g.type(index);
  if (g.value(index) || !x.ranked || !w.ranked || !r.ranked || r.dtype != f32) return false;
  if (r.dims.size() != x.dims.size() || w.dims.empty() || r.dims[1] != w.dims[0]) return false;
  for (size_t i = 2; i < r.dims.size(); ++i)
    if (r.dims[i] == 1) return false;
  return true;
}

bool add_to_conv(Graph& g) {
  if (!worthwhile(g) || !is_residual(g, 3)) return false;
  NewNode node = g.node("FusedConv", {"x", "w", g.has(2) ? "b" : "", "r"}, {"y"}, "opgraft");
  copy_conv_attributes(node, "c.");
  return true;
}

bool add_to_activated(Graph& g) {
  if (g.has(3) || !worthwhile(g) || !is_residual(g, 4)) return false;
  NewNode node = g.node("FusedConv", {"x", "w", g.has(2) ? "b" : "", "r"}, {"y"}, "opgraft");
  copy_conv_attributes(node, "c.");
  for (const char* name : {"activation", "activation_a", "activation_b"})
    node.attr_from((std::string("c.") + name).c_str(), name);
  node.attr("residual_last", 1);
  return true;
}

template <size_t... kWhich>
void define_activations(Registrar& registrar, std::index_sequence<kWhich...>) {
  const auto define = [&](size_t which, bool (*conv)(Graph&), bool (*fused)(Graph&)) {
    const std::string name = kActivationPatterns[which].name, text = kActivationPatterns[which].text;
    registrar.pattern(("conv_" + name).c_str(), ("c = Conv(x, w, b?); " + text).c_str(), 50, conv);
    registrar.pattern(("fused_conv_" + name).c_str(), ("c = opgraft::FusedConv(x, w, b?, r?); " + text).c_str(), 50,
                      fused);
  };
  (define(kWhich, &activate_conv<kWhich>, &activate_fused<kWhich>), ...);
}

void define_patterns(og_registrar* raw) {
  Registrar registrar(raw);
  define_activations(registrar, std::make_index_sequence<kActivationPatternCount>());
  registrar.pattern("conv_add", "c = Conv(x, w, b?); y = Add(c, r)", 40, &add_to_conv);
  registrar.pattern("fused_conv_add", "c = opgraft::FusedConv(x, w, b?, q?); y = Add(c, r)", 40, &add_to_activated);
}

const AtLoad patterns{&define_patterns};

}  // namespace
