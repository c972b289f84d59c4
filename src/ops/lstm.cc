// LSTM: long short-term memory over sequences, in one or both directions.
#include <opgraft/op.h>
#include <opgraft/recurrent.h>

#include <cstring>
using namespace opgraft;
namespace {

constexpr int64_t kGates = 4;  // in the order input, output, forget, cell

template <class T>
struct Lstm {
  GateProduct<T> from_input, from_state;
  std::vector<GateActivation> activations;  // f, g, h of each direction
  bool standard = false;                    // Sigmoid, Tanh, Tanh and no coupled gates: the service has this cell
  bool coupled = false;                     // input_forget
  T clip = 0;
  const og_cpu_math* math = nullptr;

  struct Parts {
    T *gates, *step, *h, *cell, *bias;
    void* product;
  };
  struct Plan {
    RecurrentShape shape;
    uint64_t product_bytes;
  };

  static bool supports(Prepare&) { return GateProduct<T>::available(); }

  void pack(Pack& p) {
    activations = gate_activations(p, {"Sigmoid", "Tanh", "Tanh"});
    coupled = p.get("input_forget", 0) != 0;
    clip = static_cast<T>(p.get("clip", 0.0f));
    from_input.pack(p, 1, kGates, 0, kGates);
    from_state.pack(p, 2, kGates, 0, kGates);
    standard = !coupled;
    for (size_t i = 0; i < activations.size(); ++i)
      standard = standard && activations[i].function == (i % 3 == 0 ? GateFunction::sigmoid : GateFunction::tanh);
    math = service<og_cpu_math>(OG_CPU_MATH);
    standard = standard && math;
  }

  static Parts parts(const RecurrentShape& s, ScratchParts& scratch) {
    Parts part{};
    part.gates = scratch.take<T>(s.steps * s.batch * kGates * s.hidden);
    part.step = scratch.take<T>(s.batch * kGates * s.hidden);
    part.h = scratch.take<T>(s.batch * s.hidden);
    part.cell = scratch.take<T>(s.batch * s.hidden);
    part.bias = scratch.take<T>(kGates * s.hidden);
    part.product = scratch.take<char>(0);
    return part;
  }

  Plan prepare(Prepare& p) const {
    Plan plan;
    plan.shape = recurrent_shape(p, p.dims(0), p.dims(2));
    const RecurrentShape& s = plan.shape;
    ScratchParts scratch;
    parts(s, scratch);
    plan.product_bytes = std::max(from_input.scratch_bytes(s, s.steps * s.batch, s.input, p.threads()),
                                  from_state.scratch_bytes(s, s.batch, s.hidden, p.threads()));
    p.scratch(scratch.used() + plan.product_bytes);
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
    const int64_t width = kGates * s.hidden;
    sum_biases(r, s, direction, kGates, kGates, part.bias);
    load_state(r, s, 5, direction, part.h);
    load_state(r, s, 6, direction, part.cell);
    const int64_t rows = s.steps * s.batch;
    from_input.run(s, r.in<T>(1), kGates, s.input, direction, rows, r.in<T>(0), s.input, part.gates, width, part.bias,
                   part.product, parallel_for_product(r, rows, width, s.input));
    const T* peephole = r.has(7) ? r.in<T>(7) + direction * 3 * s.hidden : nullptr;
    const og_parallel* parallel = parallel_for_product(r, s.batch, width, s.hidden);
    const StepOrder order(s, lengths, direction);
    T* y = r.uses_output(0) ? r.out<T>(0) : nullptr;
    for (int64_t step = 0; step < s.steps; ++step) {
      if (s.batch == 1 && order.time(step, 0) < 0) break;
      T* gates = order.rows(step, part.gates, width, part.step);
      from_state.run(s, r.in<T>(2), kGates, s.hidden, direction, s.batch, part.h, s.hidden, gates, width, nullptr,
                     part.product, parallel);
      for (int64_t entry = 0; entry < s.batch; ++entry) {
        const int64_t now = order.time(step, entry);
        if (now < 0) continue;
        T* h = part.h + entry * s.hidden;
        update(direction, gates + entry * width, peephole, part.cell + entry * s.hidden, h, s.hidden);
        if (y) std::memcpy(y + s.y_offset(now, direction, entry), h, static_cast<size_t>(s.hidden) * sizeof(T));
      }
    }
    store_state(r, s, 1, direction, part.h);
    store_state(r, s, 2, direction, part.cell);
  }

  // One step of one sequence.
  void update(int64_t direction, T* gates, const T* peephole, T* cell, T* h, int64_t n) const {
    if constexpr (std::is_same_v<T, float>)
      if (standard) return math->lstm_cell(gates, peephole, clip, cell, h, n);
    const GateActivation* function = &activations[static_cast<size_t>(3 * direction)];
    T *input = gates, *output = gates + n, *forget = gates + 2 * n, *fresh = gates + 3 * n;
    if (peephole)
      for (int64_t i = 0; i < n; ++i) {
        input[i] += peephole[i] * cell[i];
        forget[i] += peephole[2 * n + i] * cell[i];
      }
    activate_gate(function[0], clip, input, n, math);
    if (!coupled) activate_gate(function[0], clip, forget, n, math);
    activate_gate(function[1], clip, fresh, n, math);
    for (int64_t i = 0; i < n; ++i) {
      const T kept = coupled ? T(1) - input[i] : forget[i];
      cell[i] = kept * cell[i] + input[i] * fresh[i];
      if (peephole) output[i] += peephole[n + i] * cell[i];
    }
    activate_gate(function[0], clip, output, n, math);
    for (int64_t i = 0; i < n; ++i) h[i] = output[i] * function[2](cell[i]);
  }
};

OG_OP(LSTM, "", 22) {
  op.doc("Long short-term memory: gates input, output, forget, cell; Y holds all steps, Y_h and Y_c the last state.")
      .input("X", "T")
      .input("W", "T")
      .input("R", "T")
      .input("B", "T", optional)
      .input("sequence_lens", "T1", optional)
      .input("initial_h", "T", optional)
      .input("initial_c", "T", optional)
      .input("P", "T", optional)
      .output("Y", "T", optional)
      .output("Y_h", "T", optional)
      .output("Y_c", "T", optional)
      .attr("direction", "forward")
      .attr("input_forget", 0)
      .attr("layout", 0)
      .optional_attr("activation_alpha", OG_ATTR_FLOATS)
      .optional_attr("activation_beta", OG_ATTR_FLOATS)
      .optional_attr("activations", OG_ATTR_STRINGS)
      .optional_attr("clip", OG_ATTR_FLOAT)
      .optional_attr("hidden_size", OG_ATTR_INT)
      .types("T", types::floats)
      .types("T1", {i32})
      .infer([](Infer& c) {
        infer_recurrent(c, kGates, 2);
        if (c.has(7) && c.ranked(7) && c.ndim(7) != 2) fail("P must have rank 2, it has dims " + to_string(c.dims(7)));
      })
      .pure()
      .flops([](Prepare& p) {
        const RecurrentShape s = recurrent_shape(p, p.dims(0), p.dims(2));
        return 2.0 * static_cast<double>(s.directions * s.steps * s.batch) *
               static_cast<double>(kGates * s.hidden * (s.input + s.hidden));
      })
      .kernel<Lstm<float>>(cpu, f32)
      .kernel<Lstm<double>>(cpu, f64);
  op.earlier(14, [](Op& o) { o.types("T", types::ieee); })
      .earlier(7, [](Op& o) { o.drop("layout"); })
      .earlier(1, [](Op& o) { o.attr("output_sequence", 0); });
}

}  // namespace
