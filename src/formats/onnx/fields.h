// Field numbers of ONNX's protobuf messages: facts of the format, as far as the reader uses them.
#ifndef OPGRAFT_FORMATS_ONNX_FIELDS_H_
#define OPGRAFT_FORMATS_ONNX_FIELDS_H_

#include <cstdint>

// One namespace a message, one enumerator a field; tests/formats/test_onnx_fields.py compares them with the onnx
// package.
namespace opgraft::formats::onnx {

namespace ModelProto {
enum : uint32_t {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kDomain = 4,
  kModelVersion = 5,
  kDocString = 6,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadataProps = 14,
  kFunctions = 25
};
}
namespace OperatorSetIdProto {
enum : uint32_t { kDomain = 1, kVersion = 2 };
}
namespace StringStringEntryProto {
enum : uint32_t { kKey = 1, kValue = 2 };
}
namespace GraphProto {
enum : uint32_t {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kSparseInitializer = 15
};
}
namespace NodeProto {
enum : uint32_t { kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5, kDomain = 7, kOverload = 8 };
}
namespace AttributeProto {
enum : uint32_t {
  kName = 1,
  kF = 2,
  kI = 3,
  kS = 4,
  kT = 5,
  kG = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kTensors = 10,
  kGraphs = 11,
  kTp = 14,
  kTypeProtos = 15,
  kType = 20,
  kRefAttrName = 21,
  kSparseTensor = 22,
  kSparseTensors = 23
};
}
namespace FunctionProto {
enum : uint32_t {
  kName = 1,
  kInput = 4,
  kOutput = 5,
  kAttribute = 6,
  kNode = 7,
  kOpsetImport = 9,
  kDomain = 10,
  kAttributeProto = 11,
  kValueInfo = 12,
  kOverload = 13
};
}
namespace ValueInfoProto {
enum : uint32_t { kName = 1, kType = 2 };
}
namespace TensorProto {
enum : uint32_t {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14
};
}
namespace SparseTensorProto {
enum : uint32_t { kValues = 1, kIndices = 2, kDims = 3 };
}
namespace TensorShapeProto {
enum : uint32_t { kDim = 1 };
}
namespace TensorShapeProto_Dimension {
enum : uint32_t { kDimValue = 1, kDimParam = 2 };
}
namespace TypeProto {
enum : uint32_t {
  kTensorType = 1,
  kSequenceType = 4,
  kMapType = 5,
  kOpaqueType = 7,
  kSparseTensorType = 8,
  kOptionalType = 9
};
}
namespace TypeProto_Tensor {
enum : uint32_t { kElemType = 1, kShape = 2 };
}
namespace TypeProto_Sequence {
enum : uint32_t { kElemType = 1 };
}
namespace TypeProto_Map {
enum : uint32_t { kKeyType = 1, kValueType = 2 };
}
namespace TypeProto_Optional {
enum : uint32_t { kElemType = 1 };
}

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_FIELDS_H_
