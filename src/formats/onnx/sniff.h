// Recognises files that are not ONNX models, so that the error can say what they are.
#ifndef OPGRAFT_FORMATS_ONNX_SNIFF_H_
#define OPGRAFT_FORMATS_ONNX_SNIFF_H_

#include <string>
#include <string_view>

namespace opgraft::formats::onnx {

// "a ZIP archive (...)", or "" when the bytes look like nothing in particular.
std::string looks_like(std::string_view bytes);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_SNIFF_H_
