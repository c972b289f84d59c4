// The way of a model through the engine, as far as it is built.
#include "tests/fuzz/consume.h"

#include <algorithm>
#include <stdexcept>

#include "formats/onnx/reader.h"
#include "tests/fuzz/check_graph.h"

namespace opgraft::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t(512) << 20;

Outcome failed(Stage stage, const Error& error) {
  check_text(error.what());
  if (error.code() == ErrorCode::kInternal) throw std::logic_error(std::string("internal error: ") + error.what());
  return {false, error.code(), stage, error.what()};
}

}  // namespace

Outcome consume(const std::shared_ptr<const std::string>& bytes, const std::atomic<bool>*) {
  formats::ReadLimits limits;
  limits.max_converted_bytes = kMemory;
  try {
    // Memory of exactly this size, so that a sanitizer sees reading past its end.
    const std::shared_ptr<char[]> exact(new char[bytes->size()]);
    std::copy(bytes->begin(), bytes->end(), exact.get());
    const auto model = formats::read_onnx_bytes(exact, exact.get(), bytes->size(), "mutant", limits);
    check_model(*model);
  } catch (const Error& error) {
    return failed(Stage::kRead, error);
  }
  return {true, ErrorCode::kInternal, Stage::kRun, ""};
}

}  // namespace opgraft::fuzz
