// Prints what the ONNX reader makes of files, every fact on a line, for comparison with the onnx package.
#include <array>
#include <cstdio>
#include <fstream>
#include <set>

#include "base/error.h"
#include "formats/onnx/reader.h"

namespace {

using opgraft::ir::Attribute;
using opgraft::ir::Graph;
using opgraft::ir::Model;
using opgraft::ir::Node;
using opgraft::ir::Tensor;
using opgraft::ir::Type;
using opgraft::ir::Value;

uint32_t crc32(const void* data, size_t size, uint32_t state = 0) {
  static const auto table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      entries[i] = i;
      for (int bit = 0; bit < 8; ++bit) entries[i] = (entries[i] >> 1) ^ (0xedb88320u & (0u - (entries[i] & 1)));
    }
    return entries;
  }();
  state = ~state;
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(data)[i];
    state = table[(state ^ byte) & 0xff] ^ (state >> 8);
  }
  return ~state;
}

struct Printer {
  std::ostream& out;
  const Model& model;

  std::string text(const Tensor& tensor) const {
    uint32_t sum = tensor.dtype == opgraft::str ? 0 : crc32(tensor.data, tensor.bytes);
    for (const auto& string : tensor.strings) {
      const std::string entry = std::to_string(string.size()) + ":" + string;
      sum = crc32(entry.data(), entry.size(), sum);
    }
    return opgraft::ir::to_string(tensor.type()) + " " + std::to_string(sum);
  }

  std::string text(const Type& type) const {
    if (type.element) {
      const std::string inner = text(*type.element);
      if (type.kind == OG_MAP) return std::string("map(") + opgraft::dtype_name(type.dtype) + "," + inner + ")";
      return (type.kind == OG_SEQUENCE ? "seq(" : "optional(") + inner + ")";
    }
    return opgraft::ir::to_string(type, &model.symbols);
  }

  void attribute(const Attribute& attribute, const std::string& indent) {
    out << indent << "attribute " << attribute.name << " kind " << attribute.kind;
    if (!attribute.reference.empty()) out << " @" << attribute.reference;
    for (const int64_t number : attribute.ints) out << " " << number;
    for (const float number : attribute.floats) {
      char buffer[64];
      std::snprintf(buffer, sizeof(buffer), " %.9g", static_cast<double>(number));
      out << buffer;
    }
    for (const auto& string : attribute.strings)
      out << " " << string.size() << ":" << crc32(string.data(), string.size());
    for (const auto& tensor : attribute.tensors) out << " " << text(*tensor);
    for (const auto& type : attribute.types) out << " " << text(type);
    out << "\n";
    for (const auto& graph : attribute.graphs) this->graph(*graph, indent + "  ");
  }

  void node(const Node& node, const std::string& indent) {
    out << indent << "node " << node.name << " = " << node.domain << "::" << node.op_type << ":" << node.overload << " "
        << node.version << " (";
    for (int i = 0; i < node.explicit_inputs(); ++i) {
      const Value* input = node.inputs[static_cast<size_t>(i)];
      out << (input ? input->name : "") << ",";
    }
    out << ") -> (";
    for (const Value* output : node.outputs) out << (output ? output->name : "") << ",";
    out << ") captures";
    std::set<std::string> captures;
    for (size_t i = static_cast<size_t>(node.explicit_inputs()); i < node.inputs.size(); ++i)
      captures.insert(node.inputs[i]->name);
    for (const auto& name : captures) out << " " << name;
    out << "\n";
    for (const auto& attribute : node.attributes) this->attribute(attribute, indent + "  ");
  }

  void graph(const Graph& graph, const std::string& indent) {
    out << indent << "graph " << graph.name << "\n";
    for (const Value* input : graph.inputs)
      out << indent << "input " << input->name << " " << text(input->type) << "\n";
    for (const auto& value : graph.values)
      if (value->constant && !value->is_capture)
        out << indent << "initializer " << value->name << " " << text(*value->constant) << "\n";
    for (const auto& node : graph.nodes) this->node(*node, indent);
    for (const Value* output : graph.outputs) out << indent << "output " << output->name << "\n";
  }

  void print() {
    out << "model " << model.ir_version << " " << model.producer_name << " " << model.producer_version << " "
        << model.domain << " " << model.model_version << " " << crc32(model.doc.data(), model.doc.size()) << "\n";
    for (const auto& [key, value] : model.metadata) out << "metadata " << key << "=" << value << "\n";
    for (const auto& [domain, version] : model.graph.opsets) out << "opset " << domain << " " << version << "\n";
    for (const auto& function : model.functions) {
      out << "function " << function.domain << "::" << function.name << ":" << function.overload;
      for (const auto& name : function.attributes) out << " " << name;
      out << "\n";
      for (const auto& attribute : function.defaults) this->attribute(attribute, "  ");
      graph(function.body, "  ");
    }
    graph(model.graph, "");
  }
};

}  // namespace

// Arguments: a folder for the dumps, then files. The dump of the i-th file is called "<i>.dump".
int main(int count, char** arguments) {
  for (int i = 2; i < count; ++i) {
    std::ofstream out(std::string(arguments[1]) + "/" + std::to_string(i - 2) + ".dump", std::ios::binary);
    try {
      const auto model = opgraft::formats::read_onnx_file(arguments[i]);
      Printer{out, *model}.print();
    } catch (const opgraft::Error& error) {
      out << "error " << opgraft::error_code_name(error.code()) << ": " << error.what() << "\n";
    }
  }
  return 0;
}
