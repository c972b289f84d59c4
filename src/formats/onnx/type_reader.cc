// TypeProto to types of the intermediate representation.
#include "formats/onnx/type_reader.h"

#include "formats/onnx/fields.h"

namespace opgraft::formats::onnx {
namespace {

using protobuf::as_bytes;
using protobuf::as_varint;

int64_t read_dim(Context& context, std::string_view bytes) {
  Message message = context.message(bytes);
  int64_t dim = OG_UNKNOWN;
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_varint(TensorShapeProto_Dimension::kDimValue):
        dim = message.varint();
        if (dim < 0) dim = OG_UNKNOWN;
        break;
      case as_bytes(TensorShapeProto_Dimension::kDimParam): {
        const std::string name = checked_name(message.bytes(), "dimension");
        context.spend(64 + 2 * name.size());
        dim = name.empty() ? OG_UNKNOWN : context.model->symbols.named(name);
        break;
      }
      default:
        message.skip();
    }
  }
  return dim;
}

void read_shape(Context& context, std::string_view bytes, ir::Type* type) {
  Message message = context.message(bytes);
  type->ranked = true;
  type->dims.clear();
  while (const uint32_t label = message.next()) {
    if (label != as_bytes(TensorShapeProto::kDim)) {
      message.skip();
      continue;
    }
    type->dims.push_back(read_dim(context, message.bytes()));
    if (type->dims.size() > static_cast<size_t>(context.limits.max_ndim))
      throw Error(ErrorCode::kLimit, "a type has more than " + std::to_string(context.limits.max_ndim) + " dimensions");
  }
  uint64_t count = 1;
  for (int64_t dim : type->dims)
    if (!ir::is_symbol(dim) && dim > 0 && __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count))
      invalid("the dimensions " + ir::dims_to_string(type->dims) + " of a type are too large");
}

ir::Type read_tensor_type(Context& context, std::string_view bytes) {
  Message message = context.message(bytes);
  ir::Type type = ir::tensor_type(any);
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_varint(TypeProto_Tensor::kElemType):
        type.dtype = checked_dtype(message.varint());
        type.kind = type.dtype == str ? OG_STRINGS : OG_TENSOR;
        break;
      case as_bytes(TypeProto_Tensor::kShape):
        read_shape(context, message.bytes(), &type);
        break;
      default:
        message.skip();
    }
  }
  return type;
}

// Sequence and optional, which keep their element's type in the same field; map, with its key's type as well.
ir::Type read_container(Context& context, std::string_view bytes, int32_t kind, int depth) {
  Message message = context.message(bytes);
  ir::Type type;
  type.kind = kind;
  const uint32_t element = kind == OG_MAP        ? uint32_t(TypeProto_Map::kValueType)
                           : kind == OG_SEQUENCE ? uint32_t(TypeProto_Sequence::kElemType)
                                                 : uint32_t(TypeProto_Optional::kElemType);
  while (const uint32_t label = message.next()) {
    if (label == as_bytes(element))
      type.element = std::make_shared<ir::Type>(read_type(context, message.bytes(), depth + 1));
    else if (kind == OG_MAP && label == as_varint(TypeProto_Map::kKeyType))
      type.dtype = checked_dtype(message.varint());
    else
      message.skip();
  }
  if (!type.element || (kind == OG_MAP && type.dtype == any))
    invalid("at byte " + std::to_string(bytes.data() - context.origin) + ": the type of a " +
            (kind == OG_MAP        ? "map"
             : kind == OG_SEQUENCE ? "sequence"
                                   : "optional") +
            " does not say of what");
  return type;
}

}  // namespace

opgraft::dtype checked_dtype(int64_t number) {
  if (number == 0) return any;
  if (number < 0 || number >= kDtypeCount)
    invalid("element type " + std::to_string(number) + " does not exist (known: 1 to " +
            std::to_string(kDtypeCount - 1) + ")");
  return static_cast<opgraft::dtype>(number);
}

ir::Type read_type(Context& context, std::string_view bytes, int depth) {
  if (depth > context.limits.max_depth)
    throw Error(ErrorCode::kLimit, "types are nested more than " + std::to_string(context.limits.max_depth) + " deep");
  context.spend(sizeof(ir::Type));
  Message message = context.message(bytes);
  ir::Type type;
  int said = 0;
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_bytes(TypeProto::kTensorType):
      case as_bytes(TypeProto::kSparseTensorType):
        type = read_tensor_type(context, message.bytes());
        ++said;
        break;
      case as_bytes(TypeProto::kSequenceType):
        type = read_container(context, message.bytes(), OG_SEQUENCE, depth);
        ++said;
        break;
      case as_bytes(TypeProto::kOptionalType):
        type = read_container(context, message.bytes(), OG_OPTIONAL, depth);
        ++said;
        break;
      case as_bytes(TypeProto::kMapType):
        type = read_container(context, message.bytes(), OG_MAP, depth);
        ++said;
        break;
      default:
        message.skip();
    }
  }
  if (said > 1)
    invalid("at byte " + std::to_string(bytes.data() - context.origin) + ": one type says " + std::to_string(said) +
            " things; it must be one of tensor, sequence, optional, map");
  return type;
}

ValueInfo read_value_info(Context& context, std::string_view bytes) {
  Message message = context.message(bytes);
  ValueInfo info;
  std::string_view type;
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_bytes(ValueInfoProto::kName):
        info.name = message.bytes();
        break;
      case as_bytes(ValueInfoProto::kType):
        type = message.bytes();
        break;
      default:
        message.skip();
    }
  }
  if (type.data()) {
    try {
      info.type = read_type(context, type);
    } catch (const Error& error) {
      throw Error(error.code(), "type of value " + quote(info.name) + ": " + error.what());
    }
  }
  return info;
}

}  // namespace opgraft::formats::onnx
