// A constant tensor: dims, element type, bytes kept alive by a shared owner (a mapped file, a buffer), or strings.
#ifndef OPGRAFT_IR_TENSOR_H_
#define OPGRAFT_IR_TENSOR_H_

#include <memory>
#include <string>
#include <vector>

#include "ir/type.h"

namespace opgraft::ir {

struct Tensor {
  opgraft::dtype dtype = any;
  Dims dims;
  std::shared_ptr<const void> owner;
  const void* data = nullptr;  // row-major; sub-byte types packed little-end first
  uint64_t bytes = 0;
  std::vector<std::string> strings;  // dtype str

  int64_t numel() const;
  Type type() const { return tensor_type(dtype, dims); }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
};

// A tensor with memory of its own; the caller fills `*data` (not for strings).
std::shared_ptr<Tensor> make_tensor(opgraft::dtype dtype, Dims dims, void** data);
std::shared_ptr<Tensor> copy_tensor(opgraft::dtype dtype, Dims dims, const void* data, uint64_t bytes);
// Contents of an int32 or int64 tensor of at most `limit` elements.
bool read_integers(const Tensor& tensor, int64_t limit, std::vector<int64_t>* out);

// The boundary's form. The value points into `tensor`, which must outlive it.
og_value to_abi(const Tensor& tensor);
og_dl_dtype to_dl(opgraft::dtype dtype);

}  // namespace opgraft::ir
#endif  // OPGRAFT_IR_TENSOR_H_
