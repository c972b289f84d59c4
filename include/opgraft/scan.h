// The loop of Scan: slices of the inputs, a graph for each, results stacked.
#ifndef OPGRAFT_SCAN_H_
#define OPGRAFT_SCAN_H_

#include <string>
#include <vector>

#include "opgraft/axes.h"

namespace opgraft OG_HIDDEN {

struct ScanCounts {
  int states, inputs, outputs;
};

inline ScanCounts scan_counts(const Node& node, int inputs, int outputs) {
  const int64_t scanned = node.get("num_scan_inputs", int64_t(0));
  if (scanned < 1 || scanned > inputs)
    fail("num_scan_inputs = " + std::to_string(scanned) + " of " + std::to_string(inputs) + " inputs");
  ScanCounts n{inputs - static_cast<int>(scanned), static_cast<int>(scanned), 0};
  n.outputs = outputs - n.states;
  if (n.outputs < 0)
    fail("there are " + std::to_string(n.states) + " states, but " + std::to_string(outputs) + " outputs");
  const auto fits = [&](const char* name, int count) {
    const auto list = node.ints(name);
    if (!list.empty() && static_cast<int>(list.size()) != count)
      fail(std::string(name) + " has " + std::to_string(list.size()) + " entries, expected " + std::to_string(count));
  };
  fits("scan_input_axes", n.inputs);
  fits("scan_input_directions", n.inputs);
  fits("scan_output_axes", n.outputs);
  fits("scan_output_directions", n.outputs);
  return n;
}

// Results of one scan output, in the order in which they came.
struct ScanStack {
  Dims dims;  // of one result
  int32_t type = 0;
  int64_t count = 0;
  std::vector<char> bytes;

  void add(const og_value& value) {
    const Tensor tensor(value);
    if (value.kind != OG_TENSOR || is_packed(value.dtype)) fail("scan outputs must be tensors of whole bytes");
    if (count++ == 0)
      dims = tensor.shape(), type = value.dtype;
    else if (tensor.shape() != dims)
      fail("a scan output has dims " + to_string(tensor.shape()) + ", before " + to_string(dims));
    const char* data = tensor.data<char>();
    bytes.insert(bytes.end(), data, data + tensor.bytes());
  }

  // Stacks along `axis`, the first result last when `reversed`.
  void write(Run& r, int output, int64_t axis, bool reversed) const {
    Dims whole = dims;
    if (count == 0) {  // no result tells the dims: what inference knew, unknown ones as 0
      const og_value& planned = r.handle()->outputs[output];
      Dims known;
      for (int d = 0; d < planned.tensor.ndim; ++d)
        known.push_back(is_symbol(planned.tensor.shape[d]) ? 0 : planned.tensor.shape[d]);
      r.output(output, known);
      return;
    }
    axis = normalize_axis(axis, static_cast<int64_t>(dims.size()) + 1);
    whole.insert(whole.begin() + axis, count);
    const Tensor y = r.output(output, whole);
    if (y.numel() == 0) return;
    const int64_t size = dtype_bits(type) / 8, inner = y.product(static_cast<int>(axis) + 1, y.ndim()) * size;
    const int64_t outer = y.product(0, static_cast<int>(axis));
    for (int64_t k = 0; k < count; ++k)
      for (int64_t o = 0; o < outer; ++o)
        std::memcpy(y.data<char>() + (o * count + (reversed ? count - 1 - k : k)) * inner,
                    bytes.data() + (k * outer + o) * inner, static_cast<size_t>(inner));
  }
};

struct ScanResult {
  std::vector<og_value> states;
  std::vector<ScanStack> stacks;
};

// Runs the body over slices of `inputs` along `axes`; `length` iterations, -1 = as many as the inputs have slices.
inline ScanResult run_scan(Run& r, const ScanCounts& n, std::vector<og_value> states,
                           const std::vector<og_value>& inputs, int64_t length, const std::vector<int64_t>& axes,
                           const std::vector<int64_t>& directions) {
  struct Source {
    Dims dims;  // of one slice
    int64_t outer, size, inner;
    bool reversed;
    std::vector<char> slice;
  };
  std::vector<Source> sources;
  for (int i = 0; i < n.inputs; ++i) {
    const Tensor x(inputs[static_cast<size_t>(i)]);
    if (x.raw().kind != OG_TENSOR || is_packed(x.dtype())) fail("scan inputs must be tensors of whole bytes");
    if (x.ndim() < 1) fail("scan input " + std::to_string(i) + " has no axis to scan");
    const auto axis = normalize_axis(axes.empty() ? 0 : axes[static_cast<size_t>(i)], x.ndim());
    Source s{x.shape(),
             x.product(0, static_cast<int>(axis)),
             x.dim(static_cast<int>(axis)),
             x.product(static_cast<int>(axis) + 1, x.ndim()) * element_bytes(x),
             !directions.empty() && directions[static_cast<size_t>(i)] != 0,
             {}};
    s.dims.erase(s.dims.begin() + axis);
    s.slice.resize(static_cast<size_t>(s.outer * s.inner) + 1);
    if (length < 0) length = s.size;
    if (s.size < length)
      fail("scan input " + std::to_string(i) + " has " + std::to_string(s.size) + " slices, expected " +
           std::to_string(length));
    if (s.size != length && i > 0 && Tensor(inputs[0]).numel() > 0 && sources[0].size != s.size)
      fail("scan inputs have " + std::to_string(sources[0].size) + " and " + std::to_string(s.size) + " slices");
    sources.push_back(std::move(s));
  }
  ScanResult result{std::move(states), std::vector<ScanStack>(static_cast<size_t>(n.outputs))};
  std::vector<og_value> previous;
  for (int64_t k = 0; k < length; ++k) {
    if (r.cancelled()) fail("the run was cancelled");
    std::vector<og_value> feeds = result.states;
    for (size_t i = 0; i < sources.size(); ++i) {
      Source& s = sources[i];
      og_value value = inputs[i];
      const char* from = static_cast<const char*>(value.tensor.data);
      const int64_t at = s.reversed ? length - 1 - k : k;
      for (int64_t o = 0; o < s.outer; ++o)
        std::memcpy(s.slice.data() + o * s.inner, from + (o * s.size + at) * s.inner, static_cast<size_t>(s.inner));
      value.tensor.data = s.slice.data();
      value.tensor.ndim = static_cast<int32_t>(s.dims.size());
      value.tensor.shape = s.dims.data();
      value.bytes = static_cast<uint64_t>(s.outer * s.inner);
      feeds.push_back(value);
    }
    auto outputs = r.subgraph("body", feeds, n.states + n.outputs);
    for (int i = 0; i < n.states; ++i) result.states[static_cast<size_t>(i)] = outputs[static_cast<size_t>(i)];
    for (int i = 0; i < n.outputs; ++i) {
      og_value& value = outputs[static_cast<size_t>(n.states + i)];
      result.stacks[static_cast<size_t>(i)].add(value);
      r.release(value);
    }
    for (auto& value : previous) r.release(value);
    previous.assign(outputs.begin(), outputs.begin() + n.states);
  }
  return result;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_SCAN_H_
