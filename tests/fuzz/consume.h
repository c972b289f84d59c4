// Feeds bytes to the engine as a model would be, and checks what comes back.
#ifndef OPGRAFT_TESTS_FUZZ_CONSUME_H_
#define OPGRAFT_TESTS_FUZZ_CONSUME_H_

#include <atomic>
#include <memory>
#include <string>

#include "base/error.h"

namespace opgraft::fuzz {

enum class Stage { kRead, kLoad, kRun };  // how far the bytes came before the error

struct Outcome {
  bool result = false;  // else an Error with this code
  ErrorCode code = ErrorCode::kInternal;
  Stage stage = Stage::kRead;
  std::string text;
};

// An Error is an outcome; anything else that is thrown, and any broken promise of the reader, is a std::logic_error.
// `cancel` ends a run.
Outcome consume(const std::shared_ptr<const std::string>& bytes, const std::atomic<bool>* cancel);

}  // namespace opgraft::fuzz
#endif  // OPGRAFT_TESTS_FUZZ_CONSUME_H_
