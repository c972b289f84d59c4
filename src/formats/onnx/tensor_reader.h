// Reads TensorProto and SparseTensorProto: element type, dims, and contents in any of the forms that ONNX allows.
#ifndef OPGRAFT_FORMATS_ONNX_TENSOR_READER_H_
#define OPGRAFT_FORMATS_ONNX_TENSOR_READER_H_

#include <memory>
#include <string_view>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {

struct NamedTensor {
  std::string_view name;
  std::shared_ptr<const ir::Tensor> tensor;
};

// Errors name the tensor when it has a name.
NamedTensor read_tensor(Context& context, std::string_view bytes);
// The dense form; its name is that of the values.
NamedTensor read_sparse_tensor(Context& context, std::string_view bytes);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_TENSOR_READER_H_
