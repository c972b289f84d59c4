// Reads TypeProto and ValueInfoProto.
#ifndef OPGRAFT_FORMATS_ONNX_TYPE_READER_H_
#define OPGRAFT_FORMATS_ONNX_TYPE_READER_H_

#include <string_view>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {

// Nothing known (OG_ABSENT) when the message says nothing, or says "opaque". Dims without number or name, and negative
// ones, are unknown. Throws Error.
ir::Type read_type(Context& context, std::string_view bytes, int depth = 0);

struct ValueInfo {
  std::string_view name;
  ir::Type type;
};
ValueInfo read_value_info(Context& context, std::string_view bytes);

// The element type of a number in the file; zero gives `any`.
opgraft::dtype checked_dtype(int64_t number);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_TYPE_READER_H_
