// Finds tensor contents in files beside the model.
#ifndef OPGRAFT_FORMATS_ONNX_EXTERNAL_DATA_H_
#define OPGRAFT_FORMATS_ONNX_EXTERNAL_DATA_H_

#include <memory>
#include <string_view>
#include <vector>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {

struct ExternalBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

// `entries` are the tensor's external_data messages, `wanted` its size. The file is mapped once. It must lie below the
// model's folder; links that lead out are refused. Throws Error.
ExternalBytes find_external(Context& context, const std::vector<std::string_view>& entries, uint64_t wanted);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_EXTERNAL_DATA_H_
