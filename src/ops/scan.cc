// Scan: runs a graph over slices of its inputs; states go from one iteration to the next, results are stacked.
// Version 8 did so for each element of a batch, the axis 0 of all inputs and outputs.
#include <opgraft/scan.h>
using namespace opgraft;
namespace {

void infer(Infer& c) {
  const ScanCounts n = scan_counts(c, c.input_count(), c.output_count());
  std::vector<og_type> in, out(static_cast<size_t>(c.output_count()));
  std::vector<Dims> kept(static_cast<size_t>(c.input_count()));
  for (int i = 0; i < n.states; ++i) in.push_back(c.raw_type(i));
  int64_t length = kUnknown;
  const auto in_axes = c.ints("scan_input_axes"), out_axes = c.ints("scan_output_axes");
  for (int i = 0; i < n.inputs; ++i) {
    og_type type = c.raw_type(n.states + i);
    Dims& dims = kept[static_cast<size_t>(i)];
    if (type.ndim >= 0) {
      dims.assign(type.dims, type.dims + type.ndim);
      const auto axis = normalize_axis(in_axes.empty() ? 0 : in_axes[static_cast<size_t>(i)], type.ndim);
      if (!is_symbol(dims[static_cast<size_t>(axis)]) || length == kUnknown) length = dims[static_cast<size_t>(axis)];
      dims.erase(dims.begin() + axis);
      type.ndim -= 1;
      type.dims = dims.data();
    }
    in.push_back(type);
  }
  for (auto& type : out) type.size = sizeof(type);
  detail::check(detail::host->infer_subgraph(c.handle(), "body", in.data(), static_cast<int32_t>(in.size()), out.data(),
                                             c.output_count()));
  for (int i = 0; i < n.states; ++i) {
    // A state may change its dims on the way only if nothing depends on them: what both agree on holds.
    og_type type = out[static_cast<size_t>(i)];
    const og_type start = c.raw_type(i);
    if (type.kind == OG_ABSENT) type = start;
    Dims dims;
    if (type.ndim >= 0 && type.ndim == start.ndim) {
      for (int d = 0; d < type.ndim; ++d) dims.push_back(type.dims[d] == start.dims[d] ? type.dims[d] : kUnknown);
      type.dims = dims.data();
    } else {
      type.ndim = -1;
    }
    c.out(i, type);
  }
  for (int i = n.states; i < c.output_count(); ++i) {
    const og_type& element = out[static_cast<size_t>(i)];
    if (element.ndim < 0) {
      c.out(i, static_cast<dtype>(element.dtype));
      continue;
    }
    Dims dims(element.dims, element.dims + element.ndim);
    const size_t k = static_cast<size_t>(i - n.states);
    const auto axis = normalize_axis(out_axes.empty() ? 0 : out_axes[k], element.ndim + 1);
    dims.insert(dims.begin() + axis, length);
    c.out(i, static_cast<dtype>(element.dtype), dims);
  }
}

void run(Run& r) {
  const ScanCounts n = scan_counts(r, r.input_count(), r.output_count());
  std::vector<og_value> states, inputs;
  for (int i = 0; i < n.states; ++i) states.push_back(r.input(i).raw());
  for (int i = 0; i < n.inputs; ++i) inputs.push_back(r.input(n.states + i).raw());
  const ScanResult result =
      run_scan(r, n, states, inputs, -1, r.ints("scan_input_axes"), r.ints("scan_input_directions"));
  for (int i = 0; i < n.states; ++i)
    if (r.uses_output(i)) r.forward(i, result.states[static_cast<size_t>(i)]);
  const auto axes = r.ints("scan_output_axes"), directions = r.ints("scan_output_directions");
  for (int k = 0; k < n.outputs; ++k)
    if (r.uses_output(n.states + k))
      result.stacks[static_cast<size_t>(k)].write(r, n.states + k, axes.empty() ? 0 : axes[static_cast<size_t>(k)],
                                                  !directions.empty() && directions[static_cast<size_t>(k)] != 0);
}

OG_OP(Scan, "", 25) {
  op.doc(
        "Runs body for each slice of the scan inputs; states go from one iteration to the next, other results are "
        "stacked.")
      .input("initial_state_and_scan_inputs", "V", variadic | heterogeneous, 1)
      .output("final_state_and_scan_outputs", "V", variadic | heterogeneous, 1)
      .required_attr("body", OG_ATTR_GRAPH)
      .required_attr("num_scan_inputs", OG_ATTR_INT)
      .optional_attr("scan_input_axes", OG_ATTR_INTS)
      .optional_attr("scan_input_directions", OG_ATTR_INTS)
      .optional_attr("scan_output_axes", OG_ATTR_INTS)
      .optional_attr("scan_output_directions", OG_ATTR_INTS)
      .types("V", types::all)
      .infer(&infer)
      .kernel(cpu, &run);
  op.earlier(24, [](Op& o) { o.types("V", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("V", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("V", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("V", types::tensor_19); })
      .earlier(16, [](Op& o) { o.types("V", types::tensor); })
      .earlier(11, [](Op& o) { o.types("V", types::tensor_before_bfloat); })
      .earlier(9);
}

// ---- version 8 ----

// `type` without its leading axis; `dims` holds the dims of the result.
og_type without_batch(og_type type, Dims& dims) {
  if (type.ndim < 0) return type;
  if (type.ndim == 0) fail("an input has no batch axis");
  dims.assign(type.dims + 1, type.dims + type.ndim);
  type.ndim -= 1;
  type.dims = dims.data();
  return type;
}

void infer_batches(Infer& c) {
  const ScanCounts n = scan_counts(c, c.input_count() - 1, c.output_count());
  std::vector<Dims> kept(static_cast<size_t>(c.input_count())), steps(static_cast<size_t>(n.inputs));
  std::vector<og_type> in, out(static_cast<size_t>(c.output_count()));
  for (int i = 0; i < n.states; ++i) in.push_back(without_batch(c.raw_type(1 + i), kept[static_cast<size_t>(i)]));
  for (int i = 0; i < n.inputs; ++i) {
    const og_type sequence = without_batch(c.raw_type(1 + n.states + i), kept[static_cast<size_t>(n.states + i)]);
    in.push_back(without_batch(sequence, steps[static_cast<size_t>(i)]));
  }
  for (auto& type : out) type.size = sizeof(type);
  detail::check(detail::host->infer_subgraph(c.handle(), "body", in.data(), static_cast<int32_t>(in.size()), out.data(),
                                             c.output_count()));
  const int64_t batch = c.dim(1 + n.states, 0), length = c.dim(1 + n.states, 1);
  for (int i = 0; i < c.output_count(); ++i) {
    const og_type& element = out[static_cast<size_t>(i)];
    const dtype type =
        static_cast<dtype>(element.kind == OG_ABSENT ? c.dtype(1 + std::min(i, n.states)) : element.dtype);
    if (element.ndim < 0) {
      c.out(i, type);
      continue;
    }
    Dims dims{batch};
    if (i >= n.states) dims.push_back(length);
    dims.insert(dims.end(), element.dims, element.dims + element.ndim);
    c.out(i, type, dims);
  }
}

// Element `index` of the leading axis of `value`; `dims` holds the dims of the result.
og_value element_of(const og_value& value, int64_t index, Dims& dims) {
  const Tensor whole(value);
  dims.assign(whole.dims() + 1, whole.dims() + whole.ndim());
  og_value result = value;
  result.bytes = whole.dim(0) ? whole.bytes() / static_cast<uint64_t>(whole.dim(0)) : 0;
  result.tensor.data = whole.data<char>() + static_cast<uint64_t>(index) * result.bytes;
  result.tensor.ndim -= 1;
  result.tensor.shape = dims.data();
  return result;
}

// Stacks of one scan output, one for each element of the batch, as [batch, length, ...]; zeros fill short ones.
void write_padded(Run& r, int output, const std::vector<ScanStack>& stacks, int64_t length) {
  const ScanStack* model = nullptr;  // tells the dims of a result
  for (const auto& stack : stacks)
    if (stack.count > 0) {
      if (model && model->dims != stack.dims)
        fail("a scan output has dims " + to_string(stack.dims) + ", before " + to_string(model->dims));
      model = &stack;
    }
  if (!model) return ScanStack().write(r, output, 0, false);
  Dims dims{static_cast<int64_t>(stacks.size()), length};
  dims.insert(dims.end(), model->dims.begin(), model->dims.end());
  const Tensor y = r.output(output, dims);
  const size_t bytes = y.bytes() / stacks.size();
  for (size_t b = 0; b < stacks.size(); ++b) {
    char* to = y.data<char>() + b * bytes;
    std::memset(to, 0, bytes);
    if (!stacks[b].bytes.empty()) std::memcpy(to, stacks[b].bytes.data(), stacks[b].bytes.size());
  }
}

void run_batches(Run& r) {
  const ScanCounts n = scan_counts(r, r.input_count() - 1, r.output_count());
  const Tensor first = r.input(1 + n.states);
  if (first.ndim() < 2) fail("a scan input has dims " + to_string(first.shape()) + ", expected [batch, sequence, ...]");
  const int64_t batch = first.dim(0), length = first.dim(1);
  for (int i = 0; i < n.states + n.inputs; ++i) {
    const Tensor x = r.input(1 + i);
    const bool scanned = i >= n.states;
    if (x.raw().kind != OG_TENSOR || is_packed(x.dtype()))
      fail("states and scan inputs must be tensors of whole bytes");
    if (x.ndim() < 1 + scanned || x.dim(0) != batch || (scanned && x.dim(1) != length))
      fail("input " + std::to_string(1 + i) + " has dims " + to_string(x.shape()) + ", expected [" +
           std::to_string(batch) + (scanned ? "," + std::to_string(length) : "") + ",...]");
  }
  std::vector<int64_t> lengths(static_cast<size_t>(batch), length);
  if (r.input(0).present()) lengths = r.input(0).integers();
  if (static_cast<int64_t>(lengths.size()) != batch)
    fail("sequence_lens has " + std::to_string(lengths.size()) + " entries, the batch " + std::to_string(batch));
  for (int64_t one : lengths)
    if (one < 0 || one > length)
      fail("sequence_lens has " + std::to_string(one) + ", expected 0 to " + std::to_string(length));
  const auto directions = r.ints("directions");
  if (!directions.empty() && static_cast<int>(directions.size()) != n.inputs)
    fail("directions has " + std::to_string(directions.size()) + " entries, expected " + std::to_string(n.inputs));

  std::vector<ScanStack> states(static_cast<size_t>(n.states));
  std::vector<std::vector<ScanStack>> outputs(static_cast<size_t>(n.outputs));
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<Dims> dims(static_cast<size_t>(n.states + n.inputs));
    std::vector<og_value> start, inputs;
    for (int i = 0; i < n.states + n.inputs; ++i)
      (i < n.states ? start : inputs).push_back(element_of(r.input(1 + i).raw(), b, dims[static_cast<size_t>(i)]));
    const int64_t steps = lengths[static_cast<size_t>(b)];
    ScanResult result = run_scan(r, n, start, inputs, steps, {}, directions);
    for (int i = 0; i < n.states; ++i) {
      og_value& state = result.states[static_cast<size_t>(i)];
      states[static_cast<size_t>(i)].add(state);
      if (steps > 0) r.release(state);
    }
    for (int k = 0; k < n.outputs; ++k)
      outputs[static_cast<size_t>(k)].push_back(std::move(result.stacks[static_cast<size_t>(k)]));
  }
  for (int i = 0; i < n.states; ++i)
    if (r.uses_output(i)) states[static_cast<size_t>(i)].write(r, i, 0, false);
  for (int k = 0; k < n.outputs; ++k)
    if (r.uses_output(n.states + k)) write_padded(r, n.states + k, outputs[static_cast<size_t>(k)], length);
}

namespace version_8 {

OG_OP(Scan, "", 8) {
  op.doc("Runs body for each element of the sequences of each element of the batch.")
      .input("sequence_lens", "I", optional)
      .input("initial_state_and_scan_inputs", "V", variadic | heterogeneous, 1)
      .output("final_state_and_scan_outputs", "V", variadic | heterogeneous, 1)
      .required_attr("body", OG_ATTR_GRAPH)
      .required_attr("num_scan_inputs", OG_ATTR_INT)
      .optional_attr("directions", OG_ATTR_INTS)
      .types("I", {i64})
      .types("V", types::tensor_before_bfloat)
      .infer(&infer_batches)
      .kernel(cpu, &run_batches);
}

}  // namespace version_8

}  // namespace
