// Names of error codes, and what a message may hold.
#include "base/error.h"

#include "base/utf8.h"

namespace opgraft {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidModel:
      return "invalid model";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kPlugin:
      return "plug-in";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::string readable(const std::string& message) {
  constexpr size_t kBegin = 40000, kEnd = 10000;
  if (message.size() <= kBegin + kEnd) return to_utf8(message);
  return to_utf8(message.substr(0, kBegin) + " [... " + std::to_string(message.size() - kBegin - kEnd) +
                 " bytes left out ...] " + message.substr(message.size() - kEnd));
}

}  // namespace opgraft
