// Checks of graphs: order, ownership, captures, sizes of constants.
#include "tests/fuzz/check_graph.h"

#include <set>
#include <stdexcept>

#include "base/utf8.h"

namespace opgraft::fuzz {
namespace {

void expect(bool condition, const char* promise) {
  if (!condition) throw std::logic_error(std::string("broken promise: ") + promise);
}

// Reads every byte, so that a sanitizer sees wrong pointers.
void check_tensor(const ir::Tensor& tensor) {
  for (const int64_t dim : tensor.dims) expect(dim >= 0, "dims of constants are not negative");
  const auto count = static_cast<uint64_t>(tensor.numel());
  if (tensor.dtype == str) return expect(tensor.strings.size() == count, "as many strings as dims say");
  expect(tensor.bytes == dtype_bytes(tensor.dtype, count), "as many bytes as dims say");
  unsigned sum = 0;
  for (uint64_t i = 0; i < tensor.bytes; ++i) sum += static_cast<const unsigned char*>(tensor.data)[i];
  if (tensor.dtype == boolean) expect(sum <= tensor.bytes, "bools are 0 or 1");
}

void check_graph(const ir::Graph& graph, const ir::Node* owner) {
  std::set<const ir::Value*> own, defined;
  for (const auto& value : graph.values) {
    own.insert(value.get());
    if (!value->producer) defined.insert(value.get());
    if (value->constant) check_tensor(*value->constant);
    expect(is_utf8(value->name), "names are text");
  }
  for (const auto& capture : graph.captures) {
    expect(owner && own.count(capture.inner) && capture.inner->is_capture, "captures belong to the graph");
    expect(capture.index >= 0 && capture.index < owner->capture_count, "captures have an input of the owner");
  }
  for (const ir::Value* input : graph.inputs) expect(own.count(input) && input->is_input, "inputs belong to the graph");
  for (const auto& node : graph.nodes) {
    expect(!node->op_type.empty(), "nodes have an operator");
    expect(node->explicit_inputs() >= 0, "captures are inputs");
    for (const ir::Value* input : node->inputs)
      expect(!input || (own.count(input) && defined.count(input)), "nodes are in order");
    for (const auto& attribute : node->attributes) {
      for (const auto& tensor : attribute.tensors) check_tensor(*tensor);
      for (const auto& subgraph : attribute.graphs) check_graph(*subgraph, node.get());
    }
    for (const ir::Value* output : node->outputs) {
      expect(!output || (own.count(output) && output->producer == node.get()), "outputs know their producer");
      if (output) expect(defined.insert(output).second, "values are assigned once");
    }
  }
  for (const ir::Value* output : graph.outputs) expect(defined.count(output) != 0, "outputs are produced");
}

}  // namespace

void check_model(ir::Model& model) {
  check_graph(model.graph, nullptr);
  for (const auto& function : model.functions) check_graph(function.body, nullptr);
  model.graph.renumber();
  const auto copy = ir::clone(model.graph);
  expect(!ir::print(*copy, &model.symbols).empty(), "graphs can be printed");
}

void check_text(const std::string& text) {
  expect(!text.empty(), "errors say something");
  expect(text.size() < 100000, "errors are short");
  expect(is_utf8(text), "errors are text");
}

}  // namespace opgraft::fuzz
