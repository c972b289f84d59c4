// Scan: runs a graph over slices of its inputs; states go from one iteration to the next, results are stacked.
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
      .input("initial_state_and_scan_inputs", "V", variadic | OG_HETEROGENEOUS_ARG, 1)
      .output("final_state_and_scan_outputs", "V", variadic | OG_HETEROGENEOUS_ARG, 1)
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

}  // namespace
