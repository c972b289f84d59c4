// Text form of graphs.
#include <sstream>

#include "ir/graph.h"

namespace opgraft::ir {
namespace {

template <class T>
void list(std::ostringstream& out, const std::vector<T>& items) {
  out << "[";
  for (size_t i = 0; i < items.size() && i < 16; ++i) out << (i ? ", " : "") << items[i];
  out << (items.size() > 16 ? ", ...]" : "]");
}

void print_attribute(std::ostringstream& out, const Attribute& attribute, const std::string& indent,
                     const Symbols* symbols);

void print_graph(std::ostringstream& out, const Graph& graph, const std::string& indent, const Symbols* symbols) {
  const auto value = [&](const Value* v) {
    if (!v) return std::string("_");
    return "%" + v->name + ": " + to_string(v->type, symbols);
  };
  out << indent << "graph \"" << graph.name << "\" (";
  for (size_t i = 0; i < graph.inputs.size(); ++i) out << (i ? ", " : "") << value(graph.inputs[i]);
  out << ") -> (";
  for (size_t i = 0; i < graph.outputs.size(); ++i) out << (i ? ", " : "") << value(graph.outputs[i]);
  out << ") {\n";
  for (const auto& node : graph.nodes) {
    out << indent << "  ";
    for (size_t i = 0; i < node->outputs.size(); ++i) out << (i ? ", " : "") << value(node->outputs[i]);
    out << " = " << (node->domain.empty() ? "" : node->domain + "::") << node->op_type << "(";
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const Value* input = node->inputs[i];
      out << (i ? ", " : "") << (input ? "%" + input->name : "_") << (input && input->constant ? "!" : "");
    }
    out << ")";
    for (const auto& attribute : node->attributes) print_attribute(out, attribute, indent, symbols);
    out << "\n";
  }
  out << indent << "}\n";
}

void print_attribute(std::ostringstream& out, const Attribute& attribute, const std::string& indent,
                     const Symbols* symbols) {
  out << " " << attribute.name << "=";
  if (!attribute.reference.empty()) {
    out << "@" << attribute.reference;
    return;
  }
  switch (attribute.kind) {
    case OG_ATTR_INT:
      out << (attribute.ints.empty() ? 0 : attribute.ints[0]);
      break;
    case OG_ATTR_FLOAT:
      out << (attribute.floats.empty() ? 0.f : attribute.floats[0]);
      break;
    case OG_ATTR_STRING:
      out << '"' << (attribute.strings.empty() ? "" : attribute.strings[0]) << '"';
      break;
    case OG_ATTR_INTS:
      list(out, attribute.ints);
      break;
    case OG_ATTR_FLOATS:
      list(out, attribute.floats);
      break;
    case OG_ATTR_STRINGS:
      list(out, attribute.strings);
      break;
    case OG_ATTR_TENSOR:
    case OG_ATTR_TENSORS:
      for (const auto& tensor : attribute.tensors) out << to_string(tensor->type());
      break;
    case OG_ATTR_TYPE:
    case OG_ATTR_TYPES:
      for (const auto& type : attribute.types) out << to_string(type, symbols);
      break;
    case OG_ATTR_GRAPH:
    case OG_ATTR_GRAPHS:
      out << "{\n";
      for (const auto& graph : attribute.graphs) print_graph(out, *graph, indent + "    ", symbols);
      out << indent << "  }";
      break;
    default:
      out << "?";
  }
}

}  // namespace

std::string print(const Graph& graph, const Symbols* symbols) {
  std::ostringstream out;
  print_graph(out, graph, "", symbols);
  return out.str();
}

}  // namespace opgraft::ir
