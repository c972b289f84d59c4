// Constant tensors and their boundary form.
#include "ir/tensor.h"

#include <cstring>

#include "base/buffer.h"
#include "base/error.h"

namespace opgraft::ir {

int64_t Tensor::numel() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(count, dim, &count))
      throw Error(ErrorCode::kLimit, "tensor " + dims_to_string(dims) + " is too large");
  return count;
}

std::shared_ptr<Tensor> make_tensor(opgraft::dtype dtype, Dims dims, void** data) {
  auto tensor = std::make_shared<Tensor>();
  tensor->dtype = dtype;
  tensor->dims = std::move(dims);
  if (dtype == str) {
    tensor->strings.resize(static_cast<size_t>(tensor->numel()));
    return tensor;
  }
  tensor->bytes = dtype_bytes(dtype, static_cast<uint64_t>(tensor->numel()));
  auto buffer = allocate(tensor->bytes);
  if (data) *data = buffer.get();
  tensor->data = buffer.get();
  tensor->owner = std::move(buffer);
  return tensor;
}

std::shared_ptr<Tensor> copy_tensor(opgraft::dtype dtype, Dims dims, const void* data, uint64_t bytes) {
  void* target = nullptr;
  auto tensor = make_tensor(dtype, std::move(dims), &target);
  if (bytes != tensor->bytes)
    throw Error(ErrorCode::kInvalidArgument, "tensor " + to_string(tensor->type()) + " needs " +
                                                 std::to_string(tensor->bytes) + " bytes, got " +
                                                 std::to_string(bytes));
  if (bytes) std::memcpy(target, data, bytes);
  return tensor;
}

bool read_integers(const Tensor& tensor, int64_t limit, std::vector<int64_t>* out) {
  const int64_t count = tensor.numel();
  if ((tensor.dtype != i64 && tensor.dtype != i32) || count > limit) return false;
  out->resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    (*out)[static_cast<size_t>(i)] = tensor.dtype == i64 ? tensor.as<int64_t>()[i] : tensor.as<int32_t>()[i];
  return true;
}

og_dl_dtype to_dl(opgraft::dtype dtype) { return {kDtypes[dtype].dl_code, kDtypes[dtype].bits, 1}; }

og_value to_abi(const Tensor& tensor) {
  og_value value{};
  value.size = sizeof(value);
  value.kind = tensor.dtype == str ? OG_STRINGS : OG_TENSOR;
  value.dtype = tensor.dtype;
  value.flags = OG_VALUE_CONSTANT;
  value.tensor.data = const_cast<void*>(tensor.data);
  value.tensor.device = {1, 0};
  value.tensor.ndim = static_cast<int32_t>(tensor.dims.size());
  value.tensor.dtype = to_dl(tensor.dtype);
  value.tensor.shape = const_cast<int64_t*>(tensor.dims.data());
  value.bytes = tensor.bytes;
  if (tensor.dtype == str) value.handle = const_cast<std::vector<std::string>*>(&tensor.strings);
  return value;
}

}  // namespace opgraft::ir
