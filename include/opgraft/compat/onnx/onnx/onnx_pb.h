// Source compatibility: the messages of onnx.proto that operator definitions touch, as plain structs.
//
// First form: types with shapes, attributes of numbers and strings, functions. All state belongs to the including
// library.
#ifndef OPGRAFT_COMPAT_ONNX_PB_H_
#define OPGRAFT_COMPAT_ONNX_PB_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif

namespace ONNX_NAMESPACE __attribute__((visibility("hidden"))) {

  struct TensorProto {
    enum DataType {
      UNDEFINED,
      FLOAT,
      UINT8,
      INT8,
      UINT16,
      INT16,
      INT32,
      INT64,
      STRING,
      BOOL,
      FLOAT16,
      DOUBLE,
      UINT32,
      UINT64,
      COMPLEX64,
      COMPLEX128,
      BFLOAT16
    };
  };
  using TensorProto_DataType = TensorProto::DataType;

  class TensorShapeProto {
   public:
    class Dimension {
     public:
      bool has_dim_value() const { return known_; }
      int64_t dim_value() const { return known_ ? value_ : 0; }
      void set_dim_value(int64_t value) { value_ = value, known_ = true; }
      bool has_dim_param() const { return !known_ && symbol_ != 0; }
      const std::string& dim_param() const { return name_; }
      void set_dim_param(const std::string& name) { name_ = name; }
      // The engine's symbol, kept when a dim is copied.
      int64_t raw() const { return known_ ? value_ : symbol_; }
      void set_symbol(int64_t symbol) { symbol_ = symbol, known_ = false; }

     private:
      int64_t value_ = 0;
      int64_t symbol_ = 0;
      bool known_ = false;
      std::string name_;
    };
    int dim_size() const { return static_cast<int>(dims_.size()); }
    const Dimension& dim(int index) const { return dims_[static_cast<size_t>(index)]; }
    Dimension* mutable_dim(int index) { return &dims_[static_cast<size_t>(index)]; }
    Dimension* add_dim() {
      dims_.emplace_back();
      return &dims_.back();
    }
    void clear_dim() { dims_.clear(); }

   private:
    std::vector<Dimension> dims_;
  };

  class TypeProto {
   public:
    enum ValueCase { VALUE_NOT_SET = 0, kTensorType = 1 };
    class Tensor {
     public:
      bool has_elem_type() const { return elem_type_ != 0; }
      int32_t elem_type() const { return elem_type_; }
      void set_elem_type(int32_t type) { elem_type_ = type; }
      bool has_shape() const { return has_shape_; }
      const TensorShapeProto& shape() const { return shape_; }
      TensorShapeProto* mutable_shape() {
        has_shape_ = true;
        return &shape_;
      }

     private:
      int32_t elem_type_ = 0;
      bool has_shape_ = false;
      TensorShapeProto shape_;
    };
    ValueCase value_case() const { return is_tensor_ ? kTensorType : VALUE_NOT_SET; }
    bool has_tensor_type() const { return is_tensor_; }
    const Tensor& tensor_type() const { return tensor_; }
    Tensor* mutable_tensor_type() {
      is_tensor_ = true;
      return &tensor_;
    }

   private:
    bool is_tensor_ = false;
    Tensor tensor_;
  };

  class AttributeProto {
   public:
    enum AttributeType {
      UNDEFINED = 0,
      FLOAT = 1,
      INT = 2,
      STRING = 3,
      TENSOR = 4,
      GRAPH = 5,
      FLOATS = 6,
      INTS = 7,
      STRINGS = 8
    };
    AttributeType type() const { return type_; }
    const std::string& name() const { return name_; }
    float f() const { return floats_.empty() ? 0 : floats_[0]; }
    int64_t i() const { return ints_.empty() ? 0 : ints_[0]; }
    const std::string& s() const { return strings_.at(0); }
    const std::vector<int64_t>& ints() const { return ints_; }
    const std::vector<float>& floats() const { return floats_; }
    const std::vector<std::string>& strings() const { return strings_; }

    AttributeType type_ = UNDEFINED;
    std::string name_;
    std::vector<int64_t> ints_;
    std::vector<float> floats_;
    std::vector<std::string> strings_;
  };
  using AttributeProto_AttributeType = AttributeProto::AttributeType;

  inline AttributeProto MakeAttribute(const std::string& name, int64_t value) {
    AttributeProto result;
    result.type_ = AttributeProto::INT, result.name_ = name, result.ints_ = {value};
    return result;
  }
  inline AttributeProto MakeAttribute(const std::string& name, float value) {
    AttributeProto result;
    result.type_ = AttributeProto::FLOAT, result.name_ = name, result.floats_ = {value};
    return result;
  }
  inline AttributeProto MakeAttribute(const std::string& name, const std::string& value) {
    AttributeProto result;
    result.type_ = AttributeProto::STRING, result.name_ = name, result.strings_ = {value};
    return result;
  }
  inline AttributeProto MakeAttribute(const std::string& name, const std::vector<int64_t>& values) {
    AttributeProto result;
    result.type_ = AttributeProto::INTS, result.name_ = name, result.ints_ = values;
    return result;
  }

  class NodeProto {
   public:
    std::vector<std::string> output, input;
    std::string op_type, domain;
    std::vector<AttributeProto> attribute;
    void CopyFrom(const NodeProto& other) { *this = other; }
  };

  class FunctionProto {
   public:
    std::vector<NodeProto> node;
    int node_size() const { return static_cast<int>(node.size()); }
    NodeProto* add_node() {
      node.emplace_back();
      return &node.back();
    }
  };

}  // namespace ONNX_NAMESPACE
#endif  // OPGRAFT_COMPAT_ONNX_PB_H_
