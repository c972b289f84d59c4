// opgraft.FusedMatMul: a matrix product with bias, residual and activation at its end, and the patterns that make it.
#include <opgraft/fusion.h>
#include <opgraft/matmul.h>
#include <opgraft/op.h>

#include <utility>
using namespace opgraft;
namespace {

constexpr int kBias = 2, kResidual = 3;

struct FusedMatMul {
  MatmulService product;
  Activation activation;
  bool residual_last = false;

  static bool supports(Prepare&) { return MatmulService::available(); }
  void pack(Pack& p) {
    product.pack(p, 1, p.get("transB", 0) != 0);
    activation = Activation(p);
    residual_last = p.get("residual_last", 0) != 0;
  }
  MatmulService::Plan prepare(Prepare& p) const { return product.prepare(p, 0, 1); }
  void run(Run& r) const {
    const auto& plan = r.plan<MatmulService::Plan>();
    og_epilogue epilogue = og_epilogue_init();
    activation.fill(epilogue);
    epilogue.bias_n = r.has(kBias) ? r.in<float>(kBias) : nullptr;
    if (r.has(kResidual)) {
      epilogue.residual = r.in<float>(kResidual);
      epilogue.residual_ld = plan.gemm.n;
      epilogue.residual_last = residual_last ? 1 : 0;
    }
    product.run(plan, r.in<float>(0), r.in<float>(1), r.out<float>(0), &epilogue, r.scratch(), r.parallel());
  }
};

bool may_equal(int64_t a, int64_t b) { return is_symbol(a) || is_symbol(b) || a == b; }

void infer(Infer& c) {
  if (!c.ranked(0) || !c.ranked(1)) return c.out(0, c.dtype(0));
  Dims b = c.dims(1);
  if (c.ndim(0) < 2 || b.size() != 2)
    fail("A must have rank 2 or more and B rank 2, they have dims " + to_string(c.dims(0)) + " and " + to_string(b));
  if (c.get("transB", 0) != 0) std::swap(b[0], b[1]);
  const Dims y = matmul_dims(c.dims(0), b);
  if (c.has(kBias) && c.ranked(kBias) && (c.ndim(kBias) != 1 || !may_equal(c.dim(kBias, 0), b[1])))
    fail("Bias has dims " + to_string(c.dims(kBias)) + ", expected " + to_string(Dims{b[1]}));
  if (c.has(kResidual) && c.ranked(kResidual)) {
    const Dims r = c.dims(kResidual);
    bool same = r.size() == y.size();
    for (size_t i = 0; same && i < r.size(); ++i) same = may_equal(r[i], y[i]);
    if (!same) fail("Residual has dims " + to_string(r) + ", expected those of the product, " + to_string(y));
  }
  c.out(0, c.dtype(0), y);
}

void body(Graph& g) {
  const bool residual = g.has(kResidual), last = g.get("residual_last", 0) != 0;
  const char* b = "B";
  if (g.get("transB", 0) != 0) {
    g.node("Transpose", {"B"}, {"b"}).attr("perm", std::vector<int64_t>{1, 0});
    b = "b";
  }
  g.node("MatMul", {"A", b}, {"product"});
  const char* now = "product";
  if (g.has(kBias)) {
    g.node("Add", {now, "Bias"}, {"biased"});
    now = "biased";
  }
  if (residual && !last) {
    g.node("Add", {now, "Residual"}, {"whole"});
    now = "whole";
  }
  add_activation(g, now, residual && last ? "active" : "Y", 0);
  if (residual && last) g.node("Add", {"active", "Residual"}, {"Y"});
}

OG_OP(FusedMatMul, "opgraft", 1) {
  op.doc("activation(A x B + Bias + Residual), or activation(A x B + Bias) + Residual when residual_last is 1.")
      .input("A", "T")
      .input("B", "T")
      .input("Bias", "T", optional)
      .input("Residual", "T", optional)
      .output("Y", "T")
      .attr("transB", 0)
      .attr("residual_last", 0)
      .types("T", types::floats)
      .infer(infer)
      .body(body)
      .pure()
      .flops([](Prepare& p) {
        Dims b = p.dims(1);
        if (p.get("transB", 0) != 0) std::swap(b[0], b[1]);
        const MatmulShape s(p.dims(0), b);
        return 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
      })
      .kernel<FusedMatMul>(cpu, f32);
  define_activation(op);
}

// ---- patterns ----

bool worthwhile(const Graph& g) { return g.dtype(0) == f32 && MatmulService::available(); }

void copy_attributes(NewNode& node) {
  for (const char* name : {"transB", "residual_last", "activation", "activation_a", "activation_b"})
    node.attr_from((std::string("c.") + name).c_str(), name);
}

// A product with a matrix B, whose row length is the length of a vector at `index`.
bool is_bias(const Graph& g, int index, bool transposed) {
  const Type a = g.type(0), b = g.type(1), bias = g.type(index);
  if (!a.ranked || a.dims.size() < 2 || !b.ranked || b.dims.size() != 2 || !bias.ranked || bias.dtype != f32)
    return false;
  const int64_t n = b.dims[transposed ? 0 : 1];
  return bias.dims.size() == 1 && is_known(n) && bias.dims[0] == n;
}

// A bias may also come first: "Add(bias, product)" matches as well.
bool add_bias(Graph& g) {
  if (!worthwhile(g) || !is_bias(g, 2, false)) return false;
  g.node("FusedMatMul", {"a", "b", "d"}, {"y"}, "opgraft");
  return true;
}

// Gemm without factors is a product and a bias.
bool gemm_activation(Graph& g, size_t which) {
  const auto activation = matched_activation(g, which, 3);
  const bool plain = g.get("c.alpha", 1.0f) == 1.0f && g.get("c.beta", 1.0f) == 1.0f && g.get("c.transA", 0) == 0;
  const bool transposed = g.get("c.transB", 0) != 0;
  if (!activation || !plain || !worthwhile(g) || (g.has(2) && !is_bias(g, 2, transposed))) return false;
  NewNode node = g.node("FusedMatMul", {"a", "b", g.has(2) ? "d" : ""}, {"y"}, "opgraft");
  node.attr("transB", transposed ? 1 : 0);
  set_activation(node, *activation);
  return true;
}

bool fused_activation(Graph& g, size_t which) {
  const auto activation = matched_activation(g, which, 4);
  const bool free = std::string(g.get("c.activation", "")).empty() && g.get("c.residual_last", 0) == 0;
  if (!activation || !free || !worthwhile(g)) return false;
  NewNode node = g.node("FusedMatMul", {"a", "b", g.has(2) ? "d" : "", g.has(3) ? "r" : ""}, {"y"}, "opgraft");
  node.attr_from("c.transB", "transB");
  set_activation(node, *activation);
  return true;
}

// A residual has the dims of the product, symbols included.
bool add_residual(Graph& g) {
  const Type a = g.type(0), b = g.type(1), r = g.type(4);
  if (!worthwhile(g) || g.has(3) || !a.ranked || !b.ranked || !r.ranked || r.dtype != f32) return false;
  Dims y = a.dims;
  y.back() = b.dims[g.get("c.transB", 0) != 0 ? 0 : 1];
  for (int64_t dim : y)
    if (dim == kUnknown) return false;
  if (r.dims != y) return false;
  NewNode node = g.node("FusedMatMul", {"a", "b", g.has(2) ? "d" : "", "r"}, {"y"}, "opgraft");
  copy_attributes(node);
  if (!std::string(g.get("c.activation", "")).empty()) node.attr("residual_last", 1);
  return true;
}

template <size_t... kWhich>
void define_activations(Registrar& registrar, std::index_sequence<kWhich...>) {
  const auto define = [&](size_t which, bool (*gemm)(Graph&), bool (*fused)(Graph&)) {
    const std::string name = kActivationPatterns[which].name, text = kActivationPatterns[which].text;
    registrar.pattern(("gemm_" + name).c_str(), ("c = Gemm(a, b, d?); " + text).c_str(), 50, gemm);
    registrar.pattern(("fused_mat_mul_" + name).c_str(), ("c = opgraft::FusedMatMul(a, b, d?, r?); " + text).c_str(),
                      50, fused);
  };
  (define(
       kWhich, +[](Graph& g) { return gemm_activation(g, kWhich); },
       +[](Graph& g) { return fused_activation(g, kWhich); }),
   ...);
}

void define_patterns(og_registrar* raw) {
  Registrar registrar(raw);
  define_activations(registrar, std::make_index_sequence<kActivationPatternCount>());
  registrar.pattern("mat_mul_add", "c = MatMul(a, b); y = Add(c, d)", 60, &add_bias);
  registrar.pattern("fused_mat_mul_add", "c = opgraft::FusedMatMul(a, b, d?, q?); y = Add(c, r)", 40, &add_residual);
}

const AtLoad patterns{&define_patterns};

}  // namespace
