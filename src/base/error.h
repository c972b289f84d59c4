// The engine's one error class: what kind of failure, and a message that says what, where, what was found, what to do.
#ifndef OPGRAFT_BASE_ERROR_H_
#define OPGRAFT_BASE_ERROR_H_

#include <stdexcept>
#include <string>

namespace opgraft {

enum class ErrorCode {
  kInvalidArgument,  // wrong use of the API: names, types, shapes of feeds, options
  kInvalidModel,     // the file is broken or breaks its format's rules
  kNotFound,         // a file, plug-in or operator that does not exist
  kUnsupported,      // valid, but not something this engine does
  kPlugin,           // a plug-in was refused or failed
  kLimit,            // a configured limit was hit
  kOutOfMemory,
  kCancelled,
  kInternal  // our own mistake
};

const char* error_code_name(ErrorCode code);
std::string readable(const std::string& message);

class Error : public std::runtime_error {
 public:
  // The message may quote text of a file or plug-in: what is not UTF-8 in it is replaced, the middle of an endless one
  // left out.
  Error(ErrorCode code, const std::string& message) : std::runtime_error(readable(message)), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace opgraft
#endif  // OPGRAFT_BASE_ERROR_H_
