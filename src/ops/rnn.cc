// RNN: the plain recurrent layer over sequences, in one or both directions.
#include <opgraft/op.h>
#include <opgraft/recurrent.h>

#include <cstring>
using namespace opgraft;
namespace {

template <class T>
struct Rnn {
  GateProduct<T> from_input, from_state;
  std::vector<GateActivation> activations;  // one per direction
  T clip = 0;
  const og_cpu_math* math = nullptr;

  struct Parts {
    T *gates, *step, *h, *bias;
    void* product;
  };
  struct Plan {
    RecurrentShape shape;
  };

  static bool supports(Prepare&) { return GateProduct<T>::available(); }

  void pack(Pack& p) {
    activations = gate_activations(p, {"Tanh"});
    clip = static_cast<T>(p.get("clip", 0.0f));
    math = service<og_cpu_math>(OG_CPU_MATH);
    from_input.pack(p, 1, 1, 0, 1);
    from_state.pack(p, 2, 1, 0, 1);
  }

  static Parts parts(const RecurrentShape& s, ScratchParts& scratch) {
    Parts part{};
    part.gates = scratch.take<T>(s.steps * s.batch * s.hidden);
    part.step = scratch.take<T>(s.batch * s.hidden);
    part.h = scratch.take<T>(s.batch * s.hidden);
    part.bias = scratch.take<T>(s.hidden);
    part.product = scratch.take<char>(0);
    return part;
  }

  Plan prepare(Prepare& p) const {
    Plan plan{recurrent_shape(p, p.dims(0), p.dims(2))};
    const RecurrentShape& s = plan.shape;
    ScratchParts scratch;
    parts(s, scratch);
    p.scratch(scratch.used() + std::max(from_input.scratch_bytes(s, s.steps * s.batch, s.input, p.threads()),
                                        from_state.scratch_bytes(s, s.batch, s.hidden, p.threads())));
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
    const int64_t n = s.hidden, rows = s.steps * s.batch;
    sum_biases(r, s, direction, 1, 1, part.bias);
    load_state(r, s, 5, direction, part.h);
    from_input.run(s, r.in<T>(1), 1, s.input, direction, rows, r.in<T>(0), s.input, part.gates, n, part.bias,
                   part.product, parallel_for_product(r, rows, n, s.input));
    const StepOrder order(s, lengths, direction);
    T* y = r.uses_output(0) ? r.out<T>(0) : nullptr;
    for (int64_t step = 0; step < s.steps; ++step) {
      if (s.batch == 1 && order.time(step, 0) < 0) break;
      T* gates = order.rows(step, part.gates, n, part.step);
      from_state.run(s, r.in<T>(2), 1, n, direction, s.batch, part.h, n, gates, n, nullptr, part.product,
                     parallel_for_product(r, s.batch, n, n));
      for (int64_t entry = 0; entry < s.batch; ++entry) {
        const int64_t now = order.time(step, entry);
        if (now < 0) continue;
        T* row = gates + entry * n;
        activate_gate(activations[static_cast<size_t>(direction)], clip, row, n, math);
        std::copy_n(row, n, part.h + entry * n);
        if (y) std::copy_n(row, n, y + s.y_offset(now, direction, entry));
      }
    }
    store_state(r, s, 1, direction, part.h);
  }
};

OG_OP(RNN, "", 22) {
  op.doc("Plain recurrent layer: h = f(X W^T + h R^T + B); Y holds all steps, Y_h the last state.")
      .input("X", "T")
      .input("W", "T")
      .input("R", "T")
      .input("B", "T", optional)
      .input("sequence_lens", "T1", optional)
      .input("initial_h", "T", optional)
      .output("Y", "T", optional)
      .output("Y_h", "T", optional)
      .attr("activations", std::vector<std::string>{"Tanh", "Tanh"})
      .attr("direction", "forward")
      .attr("layout", 0)
      .optional_attr("activation_alpha", OG_ATTR_FLOATS)
      .optional_attr("activation_beta", OG_ATTR_FLOATS)
      .optional_attr("clip", OG_ATTR_FLOAT)
      .optional_attr("hidden_size", OG_ATTR_INT)
      .types("T", types::floats)
      .types("T1", {i32})
      .infer([](Infer& c) { infer_recurrent(c, 1, 1); })
      .pure()
      .kernel<Rnn<float>>(cpu, f32)
      .kernel<Rnn<double>>(cpu, f64);
  op.earlier(14, [](Op& o) { o.types("T", types::ieee); })
      .earlier(7, [](Op& o) { o.drop("layout"); })
      .earlier(1, [](Op& o) { o.attr("output_sequence", 0); });
}

}  // namespace
