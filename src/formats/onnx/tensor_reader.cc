// TensorProto to constant tensors: by reference where possible, converted where the file packs numbers in another way.
#include "formats/onnx/tensor_reader.h"

#include <algorithm>
#include <cstring>

#include "formats/onnx/external_data.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/type_reader.h"
#include "opgraft/packed.h"

namespace opgraft::formats::onnx {
namespace {

using protobuf::as_bytes;
using protobuf::as_fixed32;
using protobuf::as_fixed64;
using protobuf::as_varint;
using protobuf::take_varint;

using Chunks = std::vector<std::string_view>;

// One of the fields that hold numbers: pieces of its packed form.
struct NumberField {
  uint32_t field;
  const char* name;
  Chunks chunks;
};

struct TensorFields {
  std::string_view name;
  ir::Dims dims;
  int64_t data_type = 0;
  int64_t location = 0;
  bool has_segment = false;
  std::string_view raw;
  Chunks strings;
  Chunks external;
  NumberField numbers[5] = {{TensorProto::kFloatData, "float_data", {}},
                            {TensorProto::kInt32Data, "int32_data", {}},
                            {TensorProto::kInt64Data, "int64_data", {}},
                            {TensorProto::kDoubleData, "double_data", {}},
                            {TensorProto::kUint64Data, "uint64_data", {}}};
};

void keep(Context& context, Chunks* chunks, std::string_view bytes) {
  if (bytes.empty()) return;
  context.spend(sizeof(bytes));
  chunks->push_back(bytes);
}

void add_dim(const Context& context, ir::Dims* dims, int64_t dim) {
  if (dim < 0) invalid("dimension " + std::to_string(dim) + " is negative");
  if (dims->size() >= static_cast<size_t>(context.limits.max_ndim))
    throw Error(ErrorCode::kLimit, "it has more than " + std::to_string(context.limits.max_ndim) + " dimensions");
  dims->push_back(dim);
}

// Consumes the field when it is a list of dims.
bool read_dims(const Context& context, Message* message, uint32_t label, uint32_t field, ir::Dims* dims) {
  if (label == as_varint(field)) {
    add_dim(context, dims, message->varint());
    return true;
  }
  if (label != as_bytes(field)) return false;
  std::string_view packed = message->bytes();
  while (!packed.empty()) add_dim(context, dims, static_cast<int64_t>(take_varint(&packed)));
  return true;
}

// Consumes the field when it holds numbers.
bool read_numbers(Context& context, Message* message, uint32_t label, TensorFields* fields) {
  for (auto& numbers : fields->numbers) {
    const bool is_float = numbers.field == TensorProto::kFloatData;
    const bool is_double = numbers.field == TensorProto::kDoubleData;
    const uint32_t single = is_float    ? as_fixed32(numbers.field)
                            : is_double ? as_fixed64(numbers.field)
                                        : as_varint(numbers.field);
    if (label == as_bytes(numbers.field)) {
      keep(context, &numbers.chunks, message->bytes());
      return true;
    }
    if (label == single) {
      keep(context, &numbers.chunks, message->encoded());
      return true;
    }
  }
  return false;
}

void read_fields(Context& context, std::string_view bytes, TensorFields* fields) {
  Message message = context.message(bytes);
  while (const uint32_t label = message.next()) {
    switch (label) {
      case as_varint(TensorProto::kDataType):
        fields->data_type = message.varint();
        break;
      case as_varint(TensorProto::kDataLocation):
        fields->location = message.varint();
        break;
      case as_bytes(TensorProto::kSegment):
        message.skip();
        fields->has_segment = true;
        break;
      case as_bytes(TensorProto::kName):
        fields->name = message.bytes();
        break;
      case as_bytes(TensorProto::kRawData):
        fields->raw = message.bytes();
        break;
      case as_bytes(TensorProto::kStringData):
        context.spend(sizeof(std::string_view));
        fields->strings.push_back(message.bytes());
        break;
      case as_bytes(TensorProto::kExternalData):
        keep(context, &fields->external, message.bytes());
        break;
      default:
        if (!read_dims(context, &message, label, TensorProto::kDims, &fields->dims) &&
            !read_numbers(context, &message, label, fields))
          message.skip();
    }
  }
}

// Where ONNX keeps the numbers of this type when they are not raw; null for strings.
const NumberField* number_field(const TensorFields& fields, opgraft::dtype dtype) {
  switch (dtype) {
    case f32:
    case c64:
      return &fields.numbers[0];
    case i64:
      return &fields.numbers[2];
    case f64:
    case c128:
      return &fields.numbers[3];
    case u32:
    case u64:
      return &fields.numbers[4];
    case str:
      return nullptr;
    default:
      return &fields.numbers[1];
  }
}

// The size of the dims, checked against overflow and the limit.
uint64_t checked_count(const Context& context, const ir::Dims& dims, opgraft::dtype dtype) {
  uint64_t count = 1, bits = 0;
  bool fits = true, empty = false;
  for (const int64_t dim : dims) {
    empty = empty || dim == 0;
    fits = fits && !__builtin_mul_overflow(count, static_cast<uint64_t>(std::max<int64_t>(1, dim)), &count);
  }
  const uint64_t width = dtype == str ? 8 * sizeof(std::string) : static_cast<uint64_t>(dtype_bits(dtype));
  if (!fits || __builtin_mul_overflow(count, width, &bits) || bits > INT64_MAX)
    invalid("its dims " + ir::dims_to_string(dims) + " are too large for any memory");
  if (empty) return 0;
  if (bits / 8 > context.limits.max_tensor_bytes)
    throw Error(ErrorCode::kLimit, "its dims " + ir::dims_to_string(dims) + " want " + std::to_string(bits / 8) +
                                       " bytes, more than the limit of " +
                                       std::to_string(context.limits.max_tensor_bytes) + " for one tensor");
  return count;
}

[[noreturn]] void wrong_count(const ir::Tensor& tensor, const char* field, uint64_t found, uint64_t wanted) {
  invalid(std::string(field) + " holds " + std::to_string(found) + " entries, dims " + ir::dims_to_string(tensor.dims) +
          " of type " + dtype_name(tensor.dtype) + " want " + std::to_string(wanted));
}

uint64_t alignment(opgraft::dtype dtype) {
  const auto bytes = static_cast<uint64_t>(dtype_bits(dtype)) / 8;
  const bool is_complex = dtype == c64 || dtype == c128;
  return std::max<uint64_t>(1, is_complex ? bytes / 2 : bytes);
}

// A byte of a bool other than 0 and 1 is undefined behaviour for whoever reads it as one.
bool clean_bools(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
}

std::shared_ptr<ir::Tensor> copy_bytes(Context& context, const ir::Tensor& like, const Chunks& chunks) {
  context.spend_tensor(like.bytes);
  void* data = nullptr;
  auto tensor = ir::make_tensor(like.dtype, like.dims, &data);
  auto* out = static_cast<char*>(data);
  for (const auto chunk : chunks) {
    if (!chunk.empty()) std::memcpy(out, chunk.data(), chunk.size());
    out += chunk.size();
  }
  if (like.dtype == boolean)
    for (char* p = static_cast<char*>(data); p != out; ++p) *p = *p != 0;
  return tensor;
}

// Bytes as the tensor wants them, all there: point at them, or copy when they cannot stay where they are.
std::shared_ptr<const ir::Tensor> take_bytes(Context& context, ir::Tensor tensor, std::string_view bytes,
                                             std::shared_ptr<const void> owner) {
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % alignment(tensor.dtype) == 0;
  if (!owner || !aligned || bytes.empty() || (tensor.dtype == boolean && !clean_bools(bytes)))
    return copy_bytes(context, tensor, {bytes});
  tensor.owner = std::move(owner);
  tensor.data = bytes.data();
  return std::make_shared<const ir::Tensor>(std::move(tensor));
}

// float_data and double_data are, packed, the raw form.
std::shared_ptr<const ir::Tensor> take_fixed(Context& context, const ir::Tensor& tensor, const NumberField& numbers) {
  uint64_t total = 0;
  for (const auto chunk : numbers.chunks) total += chunk.size();
  if (total != tensor.bytes) {
    const uint64_t width = numbers.field == TensorProto::kFloatData ? 4 : 8;
    if (total % width) invalid(std::string(numbers.name) + " ends in the middle of a number");
    wrong_count(tensor, numbers.name, total / width, tensor.bytes / width);
  }
  if (numbers.chunks.size() == 1) return take_bytes(context, tensor, numbers.chunks[0], context.owner);
  return copy_bytes(context, tensor, numbers.chunks);
}

template <class Target>
void decode(const NumberField& numbers, int64_t least, uint64_t most, void* data) {
  auto* out = static_cast<Target*>(data);
  for (std::string_view chunk : numbers.chunks)
    while (!chunk.empty()) {
      const uint64_t value = take_varint(&chunk);
      const auto number = static_cast<int64_t>(value);
      if (number < 0 ? number < least && value > most : value > most)
        invalid(std::string(numbers.name) + " holds " + std::to_string(number) + ", which is no value of its type");
      *out++ = static_cast<Target>(value);
    }
}

std::shared_ptr<const ir::Tensor> take_varints(Context& context, const ir::Tensor& tensor, const NumberField& numbers) {
  const int bits = dtype_bits(tensor.dtype);
  // Types of 4 and 2 bits are stored packed here too, those of 6 bits one a number.
  const uint64_t wanted = bits < 8 && bits != 6 ? tensor.bytes : static_cast<uint64_t>(tensor.numel());
  // Counted before memory is taken: what ends a number has its highest bit clear.
  uint64_t found = 0;
  for (const auto chunk : numbers.chunks)
    found += static_cast<uint64_t>(std::count_if(chunk.begin(), chunk.end(), [](char c) { return (c & 0x80) == 0; }));
  if (found != wanted) wrong_count(tensor, numbers.name, found, wanted);
  context.spend_tensor(tensor.bytes);
  void* data = nullptr;
  auto result = ir::make_tensor(tensor.dtype, tensor.dims, &data);
  if (tensor.dtype == boolean) {
    decode<uint8_t>(numbers, INT64_MIN, UINT64_MAX, data);
    for (uint64_t i = 0; i < found; ++i) {
      auto& byte = static_cast<uint8_t*>(data)[i];
      byte = byte != 0;
    }
  } else if (bits == 6) {
    std::vector<uint8_t> elements(found);
    decode<uint8_t>(numbers, INT8_MIN, UINT8_MAX, elements.data());
    pack_elements(elements, bits, static_cast<uint8_t*>(data));
  } else if (bits == 64) {
    decode<uint64_t>(numbers, INT64_MIN, UINT64_MAX, data);
  } else if (bits == 32) {
    decode<uint32_t>(numbers, tensor.dtype == u32 ? 0 : INT32_MIN, UINT32_MAX, data);
  } else if (bits == 16) {
    decode<uint16_t>(numbers, INT16_MIN, UINT16_MAX, data);
  } else {
    decode<uint8_t>(numbers, INT8_MIN, UINT8_MAX, data);
  }
  return result;
}

std::shared_ptr<const ir::Tensor> take_strings(Context& context, const ir::Tensor& tensor, const Chunks& strings) {
  const auto wanted = static_cast<uint64_t>(tensor.numel());
  if (strings.size() != wanted) wrong_count(tensor, "string_data", strings.size(), wanted);
  auto result = std::make_shared<ir::Tensor>(tensor);
  context.spend_tensor(wanted * sizeof(std::string));
  result->strings.reserve(wanted);
  for (const auto text : strings) {
    context.spend_tensor(text.size());
    result->strings.emplace_back(text);
  }
  return result;
}

std::shared_ptr<const ir::Tensor> make(Context& context, const TensorFields& fields) {
  if (fields.has_segment)
    throw Error(ErrorCode::kUnsupported, "it is stored in segments; save the model with whole tensors");
  ir::Tensor tensor;
  tensor.dtype = checked_dtype(fields.data_type);
  if (tensor.dtype == any) invalid("it has no element type (data_type)");
  tensor.dims = fields.dims;
  const uint64_t count = checked_count(context, tensor.dims, tensor.dtype);
  tensor.bytes = dtype_bytes(tensor.dtype, count);
  context.spend(sizeof(ir::Tensor) + tensor.dims.size() * sizeof(int64_t));
  if (fields.location != 0 && fields.location != 1)
    invalid("data_location " + std::to_string(fields.location) + " does not exist");
  const NumberField* numbers = number_field(fields, tensor.dtype);
  for (const auto& other : fields.numbers)
    if (&other != numbers && !other.chunks.empty())
      invalid(std::string("it holds ") + other.name + ", but type " + dtype_name(tensor.dtype) +
              " keeps its values in " + (numbers ? numbers->name : "string_data") + (numbers ? " or raw_data" : ""));
  const bool has_numbers = numbers && !numbers->chunks.empty();
  if (tensor.dtype != str && !fields.strings.empty())
    invalid(std::string("it holds string_data, but its type is ") + dtype_name(tensor.dtype));
  if (fields.location == 1) {
    if (tensor.dtype == str) invalid("strings cannot be stored as external data");
    if (has_numbers || !fields.raw.empty()) invalid("it is stored twice: as external data and in the model");
    auto found = find_external(context, fields.external, tensor.bytes);
    return take_bytes(context, std::move(tensor), found.bytes, std::move(found.owner));
  }
  if (tensor.dtype == str) {
    if (!fields.raw.empty()) invalid("strings cannot be stored as raw_data");
    return take_strings(context, tensor, fields.strings);
  }
  if (has_numbers && !fields.raw.empty()) invalid(std::string("it is stored twice: in raw_data and ") + numbers->name);
  if (!has_numbers) {
    if (fields.raw.size() != tensor.bytes)
      invalid((fields.raw.empty() ? std::string("it holds no data")
                                  : "raw_data has " + std::to_string(fields.raw.size()) + " bytes") +
              ", dims " + ir::dims_to_string(tensor.dims) + " of type " + dtype_name(tensor.dtype) + " want " +
              std::to_string(tensor.bytes));
    return take_bytes(context, std::move(tensor), fields.raw, context.owner);
  }
  const bool fixed = numbers->field == TensorProto::kFloatData || numbers->field == TensorProto::kDoubleData;
  return fixed ? take_fixed(context, tensor, *numbers) : take_varints(context, tensor, *numbers);
}

std::string where(const Context& context, std::string_view name, std::string_view bytes) {
  if (!name.empty()) return "tensor " + quote(name);
  return "unnamed tensor at byte " + std::to_string(bytes.data() - context.origin);
}

// Where each value of a sparse tensor stands in the dense one.
std::vector<int64_t> dense_positions(const ir::Tensor& indices, const ir::Dims& dims, int64_t count, int64_t size) {
  const auto ndim = static_cast<int64_t>(dims.size());
  const bool linear = indices.dims.size() == 1;
  if (indices.dtype != i64 || !(linear || (indices.dims.size() == 2 && indices.dims[1] == ndim)) ||
      indices.dims[0] != count)
    invalid("its indices are " + ir::to_string(indices.type()) + ", expected tensor(int64)[" + std::to_string(count) +
            "] or tensor(int64)[" + std::to_string(count) + "," + std::to_string(ndim) + "]");
  std::vector<int64_t> positions(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = linear ? indices.as<int64_t>()[i] : 0;
    for (int64_t axis = 0; !linear && axis < ndim; ++axis) {
      const int64_t index = indices.as<int64_t>()[i * ndim + axis];
      const int64_t dim = dims[static_cast<size_t>(axis)];
      if (index < 0 || index >= dim)
        invalid("index " + std::to_string(index) + " of value " + std::to_string(i) + " is outside of dim " +
                std::to_string(dim));
      position = position * dim + index;
    }
    if (position < 0 || position >= size)
      invalid("index " + std::to_string(position) + " of value " + std::to_string(i) + " is outside of " +
              std::to_string(size) + " elements");
    if (i && position <= positions[static_cast<size_t>(i - 1)])
      invalid("its indices are not in ascending order at value " + std::to_string(i));
    positions[static_cast<size_t>(i)] = position;
  }
  return positions;
}

std::shared_ptr<const ir::Tensor> make_dense(Context& context, const ir::Tensor& values, const ir::Tensor& indices,
                                             const ir::Dims& dims) {
  const int bits = dtype_bits(values.dtype);
  if (bits < 8)
    throw Error(ErrorCode::kUnsupported, std::string("sparse tensors of type ") + dtype_name(values.dtype) +
                                             " are not supported; save it as a dense tensor");
  if (values.dims.size() != 1) invalid("its values are " + ir::to_string(values.type()) + ", expected one dimension");
  const uint64_t size = checked_count(context, dims, values.dtype);
  context.spend_tensor(static_cast<uint64_t>(values.dims[0]) * sizeof(int64_t));
  const auto positions = dense_positions(indices, dims, values.dims[0], static_cast<int64_t>(size));
  const auto width = static_cast<uint64_t>(bits) / 8;
  context.spend_dense(size * width);
  void* data = nullptr;
  auto tensor = ir::make_tensor(values.dtype, dims, &data);
  if (tensor->bytes) std::memset(data, 0, tensor->bytes);
  for (size_t i = 0; i < positions.size(); ++i)
    std::memcpy(static_cast<char*>(data) + static_cast<uint64_t>(positions[i]) * width,
                static_cast<const char*>(values.data) + i * width, width);
  return tensor;
}

}  // namespace

NamedTensor read_tensor(Context& context, std::string_view bytes) {
  TensorFields fields;
  try {
    read_fields(context, bytes, &fields);
    return {fields.name, make(context, fields)};
  } catch (const Error& error) {
    throw Error(error.code(), where(context, fields.name, bytes) + ": " + error.what());
  }
}

NamedTensor read_sparse_tensor(Context& context, std::string_view bytes) {
  Message message = context.message(bytes);
  NamedTensor values, indices;
  ir::Dims dims;
  while (const uint32_t label = message.next()) {
    if (label == as_bytes(SparseTensorProto::kValues))
      values = read_tensor(context, message.bytes());
    else if (label == as_bytes(SparseTensorProto::kIndices))
      indices = read_tensor(context, message.bytes());
    else if (!read_dims(context, &message, label, SparseTensorProto::kDims, &dims))
      message.skip();
  }
  try {
    if (!values.tensor || !indices.tensor) invalid(std::string("it has no ") + (values.tensor ? "indices" : "values"));
    return {values.name, make_dense(context, *values.tensor, *indices.tensor, dims)};
  } catch (const Error& error) {
    throw Error(error.code(), "sparse " + where(context, values.name, bytes) + ": " + error.what());
  }
}

}  // namespace opgraft::formats::onnx
