// GRU: gated recurrent unit over sequences, in one or both directions.
#include <opgraft/op.h>
#include <opgraft/recurrent.h>

#include <cstring>
using namespace opgraft;
namespace {

constexpr int64_t kGates = 3;  // in the order update, reset, hidden

template <class T>
struct Gru {
  GateProduct<T> from_input, gates_from_state, hidden_from_state;
  std::vector<GateActivation> activations;  // f, g of each direction
  bool linear_before_reset = false;
  T clip = 0;
  const og_cpu_math* math = nullptr;

  struct Parts {
    T *gates, *step, *h, *other, *bias;
    void* product;
  };
  struct Plan {
    RecurrentShape shape;
  };

  static bool supports(Prepare&) { return GateProduct<T>::available(); }

  void pack(Pack& p) {
    activations = gate_activations(p, {"Sigmoid", "Tanh"});
    linear_before_reset = p.get("linear_before_reset", 0) != 0;
    clip = static_cast<T>(p.get("clip", 0.0f));
    math = service<og_cpu_math>(OG_CPU_MATH);
    from_input.pack(p, 1, kGates, 0, kGates);
    gates_from_state.pack(p, 2, kGates, 0, 2);
    hidden_from_state.pack(p, 2, kGates, 2, 1);
  }

  static Parts parts(const RecurrentShape& s, ScratchParts& scratch) {
    Parts part{};
    part.gates = scratch.take<T>(s.steps * s.batch * kGates * s.hidden);
    part.step = scratch.take<T>(s.batch * kGates * s.hidden);
    part.h = scratch.take<T>(s.batch * s.hidden);
    part.other = scratch.take<T>(s.batch * s.hidden);
    part.bias = scratch.take<T>(kGates * s.hidden);
    part.product = scratch.take<char>(0);
    return part;
  }

  Plan prepare(Prepare& p) const {
    Plan plan{recurrent_shape(p, p.dims(0), p.dims(2))};
    const RecurrentShape& s = plan.shape;
    ScratchParts scratch;
    parts(s, scratch);
    p.scratch(scratch.used() + std::max({from_input.scratch_bytes(s, s.steps * s.batch, s.input, p.threads()),
                                         gates_from_state.scratch_bytes(s, s.batch, s.hidden, p.threads()),
                                         hidden_from_state.scratch_bytes(s, s.batch, s.hidden, p.threads())}));
    return plan;
  }

  void run(Run& r) const {
    const RecurrentShape& s = r.plan<Plan>().shape;
    const std::vector<int64_t> lengths = sequence_lengths(r, s);
    if (r.uses_output(0) && !lengths.empty()) std::memset(r.out<T>(0), 0, r.output(0).bytes());
    for (int64_t direction = 0; direction < s.directions; ++direction) run_direction(r, s, lengths, direction);
  }

  void run_direction(Run& r, const RecurrentShape& s, const std::vector<int64_t>& lengths, int64_t direction) const {
    ScratchParts scratch(r.scratch());
    const Parts part = parts(s, scratch);
    const int64_t width = kGates * s.hidden, rows = s.steps * s.batch;
    sum_biases(r, s, direction, kGates, linear_before_reset ? 2 : 3, part.bias);
    load_state(r, s, 5, direction, part.h);
    from_input.run(s, r.in<T>(1), kGates, s.input, direction, rows, r.in<T>(0), s.input, part.gates, width, part.bias,
                   part.product, parallel_for_product(r, rows, width, s.input));
    const StepOrder order(s, lengths, direction);
    T* y = r.uses_output(0) ? r.out<T>(0) : nullptr;
    for (int64_t step = 0; step < s.steps; ++step) {
      if (s.batch == 1 && order.time(step, 0) < 0) break;
      T* gates = order.rows(step, part.gates, width, part.step);
      update(r, s, direction, order, step, gates, part);
      if (!y) continue;
      for (int64_t entry = 0; entry < s.batch; ++entry)
        if (const int64_t now = order.time(step, entry); now >= 0)
          std::copy_n(part.h + entry * s.hidden, s.hidden, y + s.y_offset(now, direction, entry));
    }
    store_state(r, s, 1, direction, part.h);
  }

  // One step of all sequences.
  void update(Run& r, const RecurrentShape& s, int64_t direction, const StepOrder& order, int64_t step, T* gates,
              const Parts& part) const {
    const int64_t n = s.hidden, width = kGates * n;
    const GateActivation* function = &activations[static_cast<size_t>(2 * direction)];
    const og_parallel* parallel = parallel_for_product(r, s.batch, width, n);
    const T* weights = r.in<T>(2);
    gates_from_state.run(s, weights, kGates, n, direction, s.batch, part.h, n, gates, width, nullptr, part.product,
                         parallel);
    for (int64_t entry = 0; entry < s.batch; ++entry) {
      activate_gate(function[0], clip, gates + entry * width, 2 * n, math);
      if (linear_before_reset) continue;
      for (int64_t i = 0; i < n; ++i) part.other[entry * n + i] = gates[entry * width + n + i] * part.h[entry * n + i];
    }
    if (linear_before_reset) {
      for (int64_t entry = 0; entry < s.batch; ++entry)
        for (int64_t i = 0; i < n; ++i)
          part.other[entry * n + i] = r.has(3) ? r.in<T>(3)[(direction * 2 + 1) * width + 2 * n + i] : T(0);
      hidden_from_state.run(s, weights, kGates, n, direction, s.batch, part.h, n, part.other, n, nullptr, part.product,
                            parallel);
      for (int64_t entry = 0; entry < s.batch; ++entry)
        for (int64_t i = 0; i < n; ++i)
          gates[entry * width + 2 * n + i] += gates[entry * width + n + i] * part.other[entry * n + i];
    } else {
      hidden_from_state.run(s, weights, kGates, n, direction, s.batch, part.other, n, gates + 2 * n, width, nullptr,
                            part.product, parallel);
    }
    for (int64_t entry = 0; entry < s.batch; ++entry) {
      T *keep = gates + entry * width, *fresh = keep + 2 * n, *h = part.h + entry * n;
      activate_gate(function[1], clip, fresh, n, math);
      if (order.time(step, entry) < 0) continue;
      for (int64_t i = 0; i < n; ++i) h[i] = (T(1) - keep[i]) * fresh[i] + keep[i] * h[i];
    }
  }
};

OG_OP(GRU, "", 22) {
  op.doc("Gated recurrent unit: gates update, reset, hidden; Y holds all steps, Y_h the last state.")
      .input("X", "T")
      .input("W", "T")
      .input("R", "T")
      .input("B", "T", optional)
      .input("sequence_lens", "T1", optional)
      .input("initial_h", "T", optional)
      .output("Y", "T", optional)
      .output("Y_h", "T", optional)
      .attr("direction", "forward")
      .attr("layout", 0)
      .attr("linear_before_reset", 0)
      .optional_attr("activation_alpha", OG_ATTR_FLOATS)
      .optional_attr("activation_beta", OG_ATTR_FLOATS)
      .optional_attr("activations", OG_ATTR_STRINGS)
      .optional_attr("clip", OG_ATTR_FLOAT)
      .optional_attr("hidden_size", OG_ATTR_INT)
      .types("T", types::floats)
      .types("T1", {i32})
      .infer([](Infer& c) { infer_recurrent(c, kGates, 1); })
      .pure()
      .kernel<Gru<float>>(cpu, f32)
      .kernel<Gru<double>>(cpu, f64);
  op.earlier(14, [](Op& o) { o.types("T", types::ieee); })
      .earlier(7, [](Op& o) { o.drop("layout"); })
      .earlier(3, [](Op& o) { o.attr("output_sequence", 0); })
      .earlier(
          1, [](Op& o) { o.drop("linear_before_reset").output("Y_h", "T").attr("direction", "foward"); },
          [](Graph& g) {  // the standard wrote the default so
            const std::string direction = g.get("direction", "forward");
            std::vector<std::string> inputs;
            for (int i = 0; i < g.info().input_count; ++i) inputs.push_back(g.has(i) ? std::to_string(i) : "");
            auto node = g.node("GRU", inputs, {g.uses_output(0) ? "Y" : "", "Y_h"});
            node.attr("direction", direction == "foward" ? "forward" : direction);
            for (const char* name : {"activation_alpha", "activation_beta", "activations", "clip", "hidden_size"})
              node.attr_from(name);
          });
}

}  // namespace
