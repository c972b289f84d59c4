// Reading models from bytes in tests, and the text of the error when that fails.
#ifndef OPGRAFT_TESTS_FORMATS_ONNX_READING_H_
#define OPGRAFT_TESTS_FORMATS_ONNX_READING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/error.h"
#include "formats/onnx/reader.h"
#include "tests/formats/onnx_writer.h"

namespace opgraft::test {

inline std::unique_ptr<ir::Model> read(const Message& message, const formats::ReadLimits& limits = {}) {
  const auto owner = std::make_shared<const std::string>(message.bytes());
  return formats::read_onnx_bytes(owner, owner->data(), owner->size(), "m.onnx", limits);
}

struct Failure {
  ErrorCode code = ErrorCode::kInternal;
  std::string text;
};

inline Failure failure(const Message& message, const formats::ReadLimits& limits = {}) {
  try {
    read(message, limits);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "the model was read";
  return {};
}

inline Failure file_failure(const std::string& path) {
  try {
    formats::read_onnx_file(path);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "the model was read";
  return {};
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}

}  // namespace opgraft::test
#endif  // OPGRAFT_TESTS_FORMATS_ONNX_READING_H_
