// Nodes, attributes and tensors in the boundary's form.
#include <cstring>

#include "base/error.h"
#include "registry/contexts.h"

og_node::og_node(const opgraft::ir::Node& node, const opgraft::Signature* signature)
    : name(node.name),
      op_type(node.op_type),
      domain(node.domain),
      version(node.version),
      input_count(node.explicit_inputs()),
      output_count(static_cast<int>(node.outputs.size())) {
  for (const auto& attribute : node.attributes) add(attribute);
  given_count = static_cast<int>(attributes.size());
  if (!signature) return;
  for (const auto& definition : signature->attributes)
    if (definition.has_default && !node.find(definition.value.name)) add(definition.value);
}

void og_node::add(const opgraft::ir::Attribute& attribute) {
  storage_.push_back(std::make_unique<Storage>());
  Storage& storage = *storage_.back();
  storage.attribute = attribute;
  const auto& source = storage.attribute;
  og_attr out{};
  out.size = sizeof(out);
  out.kind = source.kind;
  out.name = source.name.c_str();
  for (const auto& text : source.strings) storage.strings.push_back({text.data(), text.size()});
  for (const auto& tensor : source.tensors) storage.tensors.push_back(opgraft::ir::to_abi(*tensor));
  for (const auto& graph : source.graphs) storage.graphs.push_back(reinterpret_cast<const og_subgraph*>(graph.get()));
  for (const auto& type : source.types) storage.types.push_back(opgraft::ir::to_abi(type, &storage.nested));
  out.ints = source.ints.data();
  out.floats = source.floats.data();
  out.strings = storage.strings.data();
  out.tensors = storage.tensors.data();
  out.graphs = storage.graphs.data();
  out.types = storage.types.data();
  switch (source.kind) {
    case OG_ATTR_INT:
    case OG_ATTR_INTS:
      out.count = static_cast<int64_t>(source.ints.size());
      break;
    case OG_ATTR_FLOAT:
    case OG_ATTR_FLOATS:
      out.count = static_cast<int64_t>(source.floats.size());
      break;
    case OG_ATTR_STRING:
    case OG_ATTR_STRINGS:
      out.count = static_cast<int64_t>(source.strings.size());
      break;
    case OG_ATTR_TENSOR:
    case OG_ATTR_TENSORS:
      out.count = static_cast<int64_t>(source.tensors.size());
      break;
    case OG_ATTR_GRAPH:
    case OG_ATTR_GRAPHS:
      out.count = static_cast<int64_t>(source.graphs.size());
      break;
    default:
      out.count = static_cast<int64_t>(source.types.size());
  }
  attributes.push_back(out);
}

namespace opgraft {

ir::Attribute attribute_from_abi(const og_attr& raw) {
  ir::Attribute attribute;
  attribute.name = raw.name ? raw.name : "";
  attribute.kind = raw.kind;
  const int64_t count = raw.count > 0 ? raw.count : 0;
  switch (raw.kind) {
    case OG_ATTR_INT:
    case OG_ATTR_INTS:
      attribute.ints.assign(raw.ints, raw.ints + count);
      break;
    case OG_ATTR_FLOAT:
    case OG_ATTR_FLOATS:
      attribute.floats.assign(raw.floats, raw.floats + count);
      break;
    case OG_ATTR_STRING:
    case OG_ATTR_STRINGS:
      for (int64_t i = 0; i < count; ++i) attribute.strings.emplace_back(raw.strings[i].data, raw.strings[i].length);
      break;
    case OG_ATTR_TENSOR:
    case OG_ATTR_SPARSE_TENSOR:
    case OG_ATTR_TENSORS:
      for (int64_t i = 0; i < count; ++i) attribute.tensors.push_back(tensor_from_abi(raw.tensors[i]));
      break;
    case OG_ATTR_GRAPH:
    case OG_ATTR_GRAPHS:
      for (int64_t i = 0; i < count; ++i)
        attribute.graphs.push_back(ir::clone(*reinterpret_cast<const ir::Graph*>(raw.graphs[i])));
      break;
    case OG_ATTR_TYPE:
    case OG_ATTR_TYPES:
      for (int64_t i = 0; i < count; ++i) attribute.types.push_back(ir::from_abi(raw.types[i]));
      break;
    default:
      throw Error(ErrorCode::kPlugin,
                  "attribute \"" + attribute.name + "\" has the unknown kind " + std::to_string(raw.kind));
  }
  return attribute;
}

std::shared_ptr<const ir::Tensor> tensor_from_abi(const og_value& value) {
  if (value.kind == OG_STRINGS && value.handle) {
    auto tensor = ir::make_tensor(str, ir::Dims(value.tensor.shape, value.tensor.shape + value.tensor.ndim), nullptr);
    tensor->strings = *static_cast<const std::vector<std::string>*>(value.handle);
    return tensor;
  }
  if (value.kind != OG_TENSOR || !is_dtype(value.dtype) || value.tensor.ndim < 0)
    throw Error(ErrorCode::kPlugin, "a constant must be a tensor of a known element type");
  ir::Dims dims(value.tensor.shape, value.tensor.shape + value.tensor.ndim);
  const char* data = static_cast<const char*>(value.tensor.data) + value.tensor.byte_offset;
  return ir::copy_tensor(static_cast<opgraft::dtype>(value.dtype), std::move(dims), data, value.bytes);
}

}  // namespace opgraft
