// Loop: runs a graph again and again, carrying values over and stacking others.
#include <cstring>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

bool is_tensor(const og_type& type) { return type.kind == OG_TENSOR || type.kind == OG_STRINGS; }

// Body inputs: iteration, condition, carried values. Body outputs: condition, carried values, scan outputs.
struct Counts {
  int carried, scans;
};
Counts counts(const Node& node) {
  const og_node_info info = node.info();
  const int carried = std::max(0, info.input_count - 2);
  return {carried, info.output_count - carried};
}

void infer(Infer& c) {
  const auto [carried, scans] = counts(c);
  if (scans < 0) fail("it has fewer outputs than carried values");
  std::vector<og_type> in(static_cast<size_t>(carried) + 2);
  for (auto& type : in) type.size = sizeof(type);
  in[0].kind = in[1].kind = OG_TENSOR;
  in[0].dtype = i64;
  in[1].dtype = boolean;
  for (int i = 0; i < carried; ++i) in[static_cast<size_t>(i) + 2] = c.raw_type(i + 2);
  std::vector<Dims> kept(in.size());
  std::vector<og_type> out(static_cast<size_t>(1 + carried + scans));
  // Dims of carried values that one iteration changes are not known; a few rounds reach what holds for all. Where they
  // do not, nothing is claimed of any.
  constexpr int kRounds = 16;
  for (int round = 0;; ++round) {
    for (auto& type : out) type.size = sizeof(type);
    detail::check(detail::host->infer_subgraph(c.handle(), "body", in.data(), static_cast<int32_t>(in.size()),
                                               out.data(), static_cast<int32_t>(out.size())));
    bool changed = false;
    for (int i = 0; i < carried; ++i) {
      og_type& before = in[static_cast<size_t>(i) + 2];
      const og_type& after = out[static_cast<size_t>(i) + 1];
      if (!is_tensor(before) || before.ndim < 0) continue;
      if (after.ndim != before.ndim) {
        before.ndim = -1;
        changed = true;
        continue;
      }
      Dims dims(before.dims, before.dims + before.ndim);
      for (int d = 0; d < after.ndim; ++d)
        if (dims[static_cast<size_t>(d)] != kUnknown && dims[static_cast<size_t>(d)] != after.dims[d])
          dims[static_cast<size_t>(d)] = kUnknown, changed = true;
      kept[static_cast<size_t>(i) + 2] = dims;
      before.dims = kept[static_cast<size_t>(i) + 2].data();
    }
    if (!changed) break;
    if (round == kRounds)
      for (int i = 0; i < carried; ++i) in[static_cast<size_t>(i) + 2].ndim = -1;
  }
  for (int i = 0; i < carried; ++i) {
    og_type type = out[static_cast<size_t>(i) + 1];
    const og_type& start = in[static_cast<size_t>(i) + 2];
    if (type.kind == OG_ABSENT) type = start;
    // Zero trips give the initial value.
    Dims dims;
    if (is_tensor(type) && type.ndim >= 0 && start.ndim == type.ndim) {
      for (int d = 0; d < type.ndim; ++d) dims.push_back(type.dims[d] == start.dims[d] ? type.dims[d] : kUnknown);
      type.dims = dims.data();
    } else if (is_tensor(type)) {
      type.ndim = -1;
    }
    c.out(i, type);
  }
  for (int i = 0; i < scans; ++i) {
    const og_type& element = out[static_cast<size_t>(1 + carried + i)];
    if (element.ndim < 0) {
      c.out(carried + i, static_cast<dtype>(element.dtype));
      continue;
    }
    Dims dims{kUnknown};
    dims.insert(dims.end(), element.dims, element.dims + element.ndim);
    c.out(carried + i, static_cast<dtype>(element.dtype), dims);
  }
}

// Elements of one scan output, stacked as they come.
struct Stack {
  Dims dims;
  int32_t type = 0;
  std::vector<char> bytes;
  std::vector<std::string> strings;
};

void run(Run& r) {
  const auto [carried, scans] = counts(r);
  int64_t trips = INT64_MAX;
  if (r.has(0)) trips = r.input(0).integers().at(0);
  bool condition = r.has(1) ? *r.in<bool>(1) : true;
  std::vector<og_value> state;
  for (int i = 0; i < carried; ++i) state.push_back(r.input(i + 2).raw());
  std::vector<Stack> stacks(static_cast<size_t>(scans));
  std::vector<og_value> previous;
  int64_t iteration = 0;
  int64_t no_dims[1] = {1};
  const auto scalar = [&](void* data, dtype type, uint64_t bytes) {
    og_value value{};
    value.size = sizeof(value);
    value.kind = OG_TENSOR;
    value.dtype = type;
    value.tensor.data = data;
    value.tensor.device = {1, 0};
    value.tensor.shape = no_dims;
    value.bytes = bytes;
    return value;
  };
  for (; iteration < trips && condition; ++iteration) {
    if (r.cancelled()) fail("the run was cancelled");
    int64_t number = iteration;
    bool going = condition;
    std::vector<og_value> inputs{scalar(&number, i64, 8), scalar(&going, boolean, 1)};
    inputs.insert(inputs.end(), state.begin(), state.end());
    auto outputs = r.subgraph("body", inputs, 1 + carried + scans);
    condition = *static_cast<const bool*>(outputs[0].tensor.data);
    for (int i = 0; i < carried; ++i) state[static_cast<size_t>(i)] = outputs[static_cast<size_t>(i) + 1];
    for (int i = 0; i < scans; ++i) {
      og_value& element = outputs[static_cast<size_t>(1 + carried + i)];
      Stack& stack = stacks[static_cast<size_t>(i)];
      const Tensor tensor(element);
      if (iteration == 0)
        stack.dims = tensor.shape(), stack.type = element.dtype;
      else if (tensor.shape() != stack.dims)
        fail("scan output " + std::to_string(i) + " has dims " + to_string(tensor.shape()) + " in iteration " +
             std::to_string(iteration) + ", before " + to_string(stack.dims));
      if (element.kind == OG_STRINGS) {
        for (int64_t j = 0; j < tensor.numel(); ++j) {
          og_string text{};
          detail::check(detail::host->value_string(&element, j, &text));
          stack.strings.emplace_back(text.data, text.length);
        }
      } else {
        const char* data = tensor.data<char>();
        stack.bytes.insert(stack.bytes.end(), data, data + tensor.bytes());
      }
      r.release(element);
    }
    r.release(outputs[0]);
    for (auto& value : previous) r.release(value);  // carried values of the iteration before
    previous.assign(outputs.begin() + 1, outputs.begin() + 1 + carried);
  }
  for (int i = 0; i < carried; ++i)
    if (r.uses_output(i)) r.forward(i, state[static_cast<size_t>(i)]);
  for (int i = 0; i < scans; ++i) {
    if (!r.uses_output(carried + i)) continue;
    const Stack& stack = stacks[static_cast<size_t>(i)];
    Dims dims{iteration};
    if (iteration == 0) {  // no element tells the dims: what inference knew, unknown ones as 0
      const og_value& planned = r.handle()->outputs[carried + i];
      for (int d = 1; d < planned.tensor.ndim; ++d)
        dims.push_back(is_symbol(planned.tensor.shape[d]) ? 0 : planned.tensor.shape[d]);
    } else {
      dims.insert(dims.end(), stack.dims.begin(), stack.dims.end());
    }
    const Tensor y = r.output(carried + i, dims);
    for (size_t j = 0; j < stack.strings.size(); ++j)
      r.set_string(carried + i, static_cast<int64_t>(j), stack.strings[j]);
    if (!stack.bytes.empty()) std::memcpy(y.data(), stack.bytes.data(), stack.bytes.size());
  }
}

OG_OP(Loop, "", 25) {
  op.doc(
        "Runs body up to M times while its condition holds; carried values go from one iteration to the next, scan "
        "outputs are stacked.")
      .input("M", "I", optional)
      .input("cond", "B", optional)
      .input("v_initial", "V", variadic | heterogeneous, 0)
      .output("v_final_and_scan_outputs", "V", variadic | heterogeneous, 1)
      .required_attr("body", OG_ATTR_GRAPH)
      .types("I", {i64})
      .types("B", {boolean})
      .type_strings("V", types::values())
      .infer(&infer)
      .kernel(cpu, &run);
  op.earlier(24,
             [](Op& o) {
               o.type_strings("V", types::values(types::tensor_24, types::tensor_24, types::tensor_24, types::tensor));
             })
      .earlier(23,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_23, types::tensor_23, types::tensor_23, types::tensor));
               })
      .earlier(21,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_21, types::tensor_21, types::tensor_21, types::tensor));
               })
      .earlier(19,
               [](Op& o) {
                 o.type_strings("V",
                                types::values(types::tensor_19, types::tensor_19, types::tensor_19, types::tensor));
               })
      .earlier(
          16,
          [](Op& o) { o.type_strings("V", types::values(types::tensor, types::tensor, types::tensor, types::tensor)); })
      .earlier(13,
               [](Op& o) {
                 o.type_strings("V", {"seq(tensor(bool))",   "seq(tensor(complex128))", "seq(tensor(complex64))",
                                      "seq(tensor(double))", "seq(tensor(float))",      "seq(tensor(float16))",
                                      "seq(tensor(int16))",  "seq(tensor(int32))",      "seq(tensor(int64))",
                                      "seq(tensor(int8))",   "seq(tensor(string))",     "seq(tensor(uint16))",
                                      "seq(tensor(uint32))", "seq(tensor(uint64))",     "seq(tensor(uint8))",
                                      "tensor(bool)",        "tensor(complex128)",      "tensor(complex64)",
                                      "tensor(double)",      "tensor(float)",           "tensor(float16)",
                                      "tensor(int16)",       "tensor(int32)",           "tensor(int64)",
                                      "tensor(int8)",        "tensor(string)",          "tensor(uint16)",
                                      "tensor(uint32)",      "tensor(uint64)",          "tensor(uint8)"});
               })
      .earlier(11, [](Op& o) { o.types("V", types::tensor_before_bfloat); })
      .earlier(1, [](Op& o) { o.input("v_initial", "V", variadic | heterogeneous, 1); });
}

}  // namespace
