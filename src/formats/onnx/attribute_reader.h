// Reads AttributeProto of every kind.
#ifndef OPGRAFT_FORMATS_ONNX_ATTRIBUTE_READER_H_
#define OPGRAFT_FORMATS_ONNX_ATTRIBUTE_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {

// Makes the graph of a GraphProto; `label` says which it is: "then_branch", or "branches[1]".
using ReadSubgraph = std::function<std::shared_ptr<ir::Graph>(std::string_view bytes, const std::string& label)>;

// A reference to an attribute of the calling function is legal only when `in_function`. Errors name the attribute.
ir::Attribute read_attribute(Context& context, std::string_view bytes, bool in_function,
                             const ReadSubgraph& read_subgraph);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_ATTRIBUTE_READER_H_
