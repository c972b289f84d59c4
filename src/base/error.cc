// Names of error codes.
#include "base/error.h"

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

}  // namespace opgraft
