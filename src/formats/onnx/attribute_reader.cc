// AttributeProto to attributes of the intermediate representation.
#include "formats/onnx/attribute_reader.h"

#include <cstring>

#include "formats/onnx/fields.h"
#include "formats/onnx/tensor_reader.h"
#include "formats/onnx/type_reader.h"

namespace opgraft::formats::onnx {
namespace {

using protobuf::as_bytes;
using protobuf::as_fixed32;
using protobuf::as_varint;
using protobuf::take_varint;
using Views = std::vector<std::string_view>;

// Kinds of the file that the engine has no kind of its own for.
constexpr int32_t kSparseTensor = 11;
constexpr int32_t kSparseTensors = 12;

struct AttributeFields {
  std::string_view name;
  std::string_view reference;
  int64_t kind = 0;
  bool has_int = false, has_float = false, has_string = false;
  int64_t integer = 0;
  float number = 0;
  std::string_view text;
  Views tensor, graph, type, sparse_tensor;  // of the single kinds: at most one entry is legal
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  Views texts, tensors, graphs, types, sparse_tensors;
};

void keep(Context& context, Views* views, std::string_view bytes) {
  context.spend(sizeof(bytes));
  views->push_back(bytes);
}

void read_floats(Context& context, std::string_view packed, std::vector<float>* numbers) {
  if (packed.size() % sizeof(float)) invalid("its floats end in the middle of a number");
  if (packed.empty()) return;
  context.spend(packed.size());
  const size_t before = numbers->size();
  numbers->resize(before + packed.size() / sizeof(float));
  std::memcpy(numbers->data() + before, packed.data(), packed.size());
}

void read_integers(Context& context, std::string_view packed, std::vector<int64_t>* integers) {
  context.spend(packed.size() * sizeof(int64_t));
  while (!packed.empty()) integers->push_back(static_cast<int64_t>(take_varint(&packed)));
}

void read_fields(Context& context, std::string_view bytes, AttributeFields* fields) {
  Message message = context.message(bytes);
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_bytes(AttributeProto::kName):
        fields->name = message.bytes();
        break;
      case as_bytes(AttributeProto::kRefAttrName):
        fields->reference = message.bytes();
        break;
      case as_varint(AttributeProto::kType):
        fields->kind = message.varint();
        break;
      case as_fixed32(AttributeProto::kF):
        fields->number = message.fixed32();
        fields->has_float = true;
        break;
      case as_varint(AttributeProto::kI):
        fields->integer = message.varint();
        fields->has_int = true;
        break;
      case as_bytes(AttributeProto::kS):
        fields->text = message.bytes();
        fields->has_string = true;
        break;
      case as_bytes(AttributeProto::kT):
        keep(context, &fields->tensor, message.bytes());
        break;
      case as_bytes(AttributeProto::kG):
        keep(context, &fields->graph, message.bytes());
        break;
      case as_bytes(AttributeProto::kTp):
        keep(context, &fields->type, message.bytes());
        break;
      case as_bytes(AttributeProto::kSparseTensor):
        keep(context, &fields->sparse_tensor, message.bytes());
        break;
      case as_bytes(AttributeProto::kFloats):
        read_floats(context, message.bytes(), &fields->numbers);
        break;
      case as_fixed32(AttributeProto::kFloats):
        context.spend(sizeof(float));
        fields->numbers.push_back(message.fixed32());
        break;
      case as_bytes(AttributeProto::kInts):
        read_integers(context, message.bytes(), &fields->integers);
        break;
      case as_varint(AttributeProto::kInts):
        context.spend(sizeof(int64_t));
        fields->integers.push_back(message.varint());
        break;
      case as_bytes(AttributeProto::kStrings):
        keep(context, &fields->texts, message.bytes());
        break;
      case as_bytes(AttributeProto::kTensors):
        keep(context, &fields->tensors, message.bytes());
        break;
      case as_bytes(AttributeProto::kGraphs):
        keep(context, &fields->graphs, message.bytes());
        break;
      case as_bytes(AttributeProto::kTypeProtos):
        keep(context, &fields->types, message.bytes());
        break;
      case as_bytes(AttributeProto::kSparseTensors):
        keep(context, &fields->sparse_tensors, message.bytes());
        break;
      default:
        message.skip();
    }
  }
}

// Files of the first version of the format do not say the kind: it is the kind of what is there.
int64_t kind_of_contents(const AttributeFields& fields) {
  if (fields.has_int) return OG_ATTR_INT;
  if (fields.has_float) return OG_ATTR_FLOAT;
  if (fields.has_string) return OG_ATTR_STRING;
  if (!fields.tensor.empty()) return OG_ATTR_TENSOR;
  if (!fields.graph.empty()) return OG_ATTR_GRAPH;
  if (!fields.type.empty()) return OG_ATTR_TYPE;
  if (!fields.sparse_tensor.empty()) return kSparseTensor;
  if (!fields.integers.empty()) return OG_ATTR_INTS;
  if (!fields.numbers.empty()) return OG_ATTR_FLOATS;
  if (!fields.texts.empty()) return OG_ATTR_STRINGS;
  if (!fields.tensors.empty()) return OG_ATTR_TENSORS;
  if (!fields.graphs.empty()) return OG_ATTR_GRAPHS;
  if (!fields.types.empty()) return OG_ATTR_TYPES;
  if (!fields.sparse_tensors.empty()) return kSparseTensors;
  return OG_ATTR_NONE;
}

void fill(Context& context, AttributeFields& fields, const ReadSubgraph& read_subgraph, ir::Attribute* attribute) {
  const auto one = [](const Views& views, const char* what) {
    if (views.size() != 1)
      invalid("its kind is " + std::string(what) + ", but it holds " + std::to_string(views.size()) + " of them");
  };
  const auto add_text = [&](std::string_view text) {
    context.spend(sizeof(std::string) + text.size());
    attribute->strings.emplace_back(text);
  };
  const auto add_tensors = [&](const Views& views, bool sparse) {
    for (const auto view : views)
      attribute->tensors.push_back((sparse ? read_sparse_tensor(context, view) : read_tensor(context, view)).tensor);
  };
  const auto add_types = [&](const Views& views) {
    for (const auto view : views) attribute->types.push_back(read_type(context, view));
  };
  switch (fields.kind) {
    case OG_ATTR_INT:
      attribute->ints = {fields.integer};
      break;
    case OG_ATTR_FLOAT:
      attribute->floats = {fields.number};
      break;
    case OG_ATTR_STRING:
      add_text(fields.text);
      break;
    case OG_ATTR_INTS:
      attribute->ints = std::move(fields.integers);
      break;
    case OG_ATTR_FLOATS:
      attribute->floats = std::move(fields.numbers);
      break;
    case OG_ATTR_STRINGS:
      for (const auto text : fields.texts) add_text(text);
      break;
    case OG_ATTR_TENSOR:
      one(fields.tensor, "tensor");
      [[fallthrough]];
    case OG_ATTR_TENSORS:
      add_tensors(fields.kind == OG_ATTR_TENSOR ? fields.tensor : fields.tensors, false);
      break;
    case kSparseTensor:
      one(fields.sparse_tensor, "sparse tensor");
      [[fallthrough]];
    case kSparseTensors:
      add_tensors(fields.kind == kSparseTensor ? fields.sparse_tensor : fields.sparse_tensors, true);
      attribute->kind = fields.kind == kSparseTensor ? OG_ATTR_TENSOR : OG_ATTR_TENSORS;
      break;
    case OG_ATTR_TYPE:
      one(fields.type, "type");
      [[fallthrough]];
    case OG_ATTR_TYPES:
      add_types(fields.kind == OG_ATTR_TYPE ? fields.type : fields.types);
      break;
    case OG_ATTR_GRAPH:
      one(fields.graph, "graph");
      attribute->graphs.push_back(read_subgraph(fields.graph[0], attribute->name));
      break;
    case OG_ATTR_GRAPHS:
      for (size_t i = 0; i < fields.graphs.size(); ++i)
        attribute->graphs.push_back(read_subgraph(fields.graphs[i], attribute->name + "[" + std::to_string(i) + "]"));
      break;
    default:
      invalid(fields.kind == OG_ATTR_NONE ? "it has neither a kind nor a value"
                                          : "its kind " + std::to_string(fields.kind) + " does not exist");
  }
}

}  // namespace

ir::Attribute read_attribute(Context& context, std::string_view bytes, bool in_function,
                             const ReadSubgraph& read_subgraph) {
  AttributeFields fields;
  ir::Attribute attribute;
  try {
    context.spend(2 * sizeof(ir::Attribute) + 64);  // in a vector that grows, and a set of names
    read_fields(context, bytes, &fields);
    if (fields.name.empty()) invalid("it has no name");
    context.spend(fields.name.size() + fields.reference.size());
    attribute.name = checked_name(fields.name, "attribute name");
    attribute.reference = checked_name(fields.reference, "attribute name");
    const int64_t contents = kind_of_contents(fields);
    if (!attribute.reference.empty()) {
      if (!in_function) invalid("it refers to an attribute of a function, but stands in no function");
      if (contents != OG_ATTR_NONE) invalid("it has a value and refers to an attribute of the function as well");
    } else if (fields.kind == OG_ATTR_NONE) {
      fields.kind = contents;
    }
    attribute.kind = static_cast<int32_t>(fields.kind);
    if (!attribute.reference.empty()) {
      if (fields.kind < 0 || fields.kind > OG_ATTR_TYPES)
        invalid("its kind " + std::to_string(fields.kind) + " does not exist");
      if (fields.kind == kSparseTensor || fields.kind == kSparseTensors)
        attribute.kind = fields.kind == kSparseTensor ? OG_ATTR_TENSOR : OG_ATTR_TENSORS;
      return attribute;
    }
    fill(context, fields, read_subgraph, &attribute);
  } catch (const Error& error) {
    const std::string who = fields.name.empty()
                                ? "unnamed attribute at byte " + std::to_string(bytes.data() - context.origin)
                                : "attribute " + quote(fields.name);
    throw Error(error.code(), who + ": " + error.what());
  }
  return attribute;
}

}  // namespace opgraft::formats::onnx
