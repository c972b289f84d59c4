// Writes ONNX messages byte by byte, broken ones as well, for tests of the reader.
#ifndef OPGRAFT_TESTS_FORMATS_ONNX_WRITER_H_
#define OPGRAFT_TESTS_FORMATS_ONNX_WRITER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "formats/onnx/fields.h"

namespace opgraft::test {

// One protobuf message.
class Message {
 public:
  Message& number(uint32_t field, int64_t value) {
    varint(field << 3);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& text(uint32_t field, const std::string& value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(uint32_t field, const Message& value) { return text(field, value.bytes_); }
  Message& real(uint32_t field, float value) {
    varint(field << 3 | 5);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  Message& packed(uint32_t field, const std::vector<int64_t>& values) {
    Message list;
    for (const int64_t value : values) list.varint(static_cast<uint64_t>(value));
    return message(field, list);
  }
  Message& numbers(uint32_t field, const std::vector<int64_t>& values) {
    for (const int64_t value : values) number(field, value);
    return *this;
  }
  Message& raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

namespace field = opgraft::formats::onnx;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

inline Message tensor(const std::string& name, int dtype, const std::vector<int64_t>& dims) {
  Message result;
  result.numbers(field::TensorProto::kDims, dims).number(field::TensorProto::kDataType, dtype);
  if (!name.empty()) result.text(field::TensorProto::kName, name);
  return result;
}

inline Message float_tensor(const std::string& name, const std::vector<int64_t>& dims,
                            const std::vector<float>& values) {
  return tensor(name, 1, dims).text(field::TensorProto::kRawData, bytes_of(values));
}

// Dims as text: numbers or names.
inline Message tensor_type(int dtype, const std::vector<std::string>& dims) {
  Message shape;
  for (const auto& dim : dims) {
    Message entry;
    if (!dim.empty() && (dim[0] == '-' || (dim[0] >= '0' && dim[0] <= '9')))
      entry.number(field::TensorShapeProto_Dimension::kDimValue, std::stoll(dim));
    else
      entry.text(field::TensorShapeProto_Dimension::kDimParam, dim);
    shape.message(field::TensorShapeProto::kDim, entry);
  }
  const Message type =
      Message().number(field::TypeProto_Tensor::kElemType, dtype).message(field::TypeProto_Tensor::kShape, shape);
  return Message().message(field::TypeProto::kTensorType, type);
}

inline Message value(const std::string& name) { return Message().text(field::ValueInfoProto::kName, name); }
inline Message value(const std::string& name, const Message& type) {
  return value(name).message(field::ValueInfoProto::kType, type);
}

inline Message node(const std::string& op_type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::string& name = "") {
  Message result;
  for (const auto& input : inputs) result.text(field::NodeProto::kInput, input);
  for (const auto& output : outputs) result.text(field::NodeProto::kOutput, output);
  if (!name.empty()) result.text(field::NodeProto::kName, name);
  return result.text(field::NodeProto::kOpType, op_type);
}

inline Message attribute(const std::string& name, int kind) {
  return Message().text(field::AttributeProto::kName, name).number(field::AttributeProto::kType, kind);
}
inline Message graph_attribute(const std::string& name, const Message& graph) {
  return attribute(name, 5).message(field::AttributeProto::kG, graph);
}

inline Message graph(const std::vector<Message>& nodes, const std::vector<Message>& inputs,
                     const std::vector<Message>& outputs, const std::vector<Message>& initializers = {}) {
  Message result;
  for (const auto& entry : nodes) result.message(field::GraphProto::kNode, entry);
  result.text(field::GraphProto::kName, "g");
  for (const auto& entry : initializers) result.message(field::GraphProto::kInitializer, entry);
  for (const auto& entry : inputs) result.message(field::GraphProto::kInput, entry);
  for (const auto& entry : outputs) result.message(field::GraphProto::kOutput, entry);
  return result;
}

inline Message opset(const std::string& domain, int64_t version) {
  return Message()
      .text(field::OperatorSetIdProto::kDomain, domain)
      .number(field::OperatorSetIdProto::kVersion, version);
}

inline Message model(const Message& graph, int64_t ir_version = 10) {
  return Message()
      .number(field::ModelProto::kIrVersion, ir_version)
      .message(field::ModelProto::kGraph, graph)
      .message(field::ModelProto::kOpsetImport, opset("", 17));
}

}  // namespace opgraft::test
#endif  // OPGRAFT_TESTS_FORMATS_ONNX_WRITER_H_
