// The way of a model through the engine: read, load, run.
#include "tests/fuzz/consume.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "formats/onnx/reader.h"
#include "runtime/session.h"
#include "tests/fuzz/check_graph.h"

namespace opgraft::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t(256) << 20;
constexpr uint64_t kPlannedMemory = uint64_t(64) << 20;
constexpr int64_t kMaxElements = 1 << 16;
constexpr size_t kMaxRunBytes = 16 << 10;  // larger ones are whole networks: seconds of arithmetic under a sanitizer

Outcome failed(Stage stage, const Error& error) {
  check_text(error.what());
  if (error.code() == ErrorCode::kInternal) throw std::logic_error(std::string("internal error: ") + error.what());
  return {false, error.code(), stage, error.what()};
}

// An input of the declared type, with 2 for each dim that is not a number. False when it is no small tensor.
bool make_feed(const ir::Type& type, RuntimeValue* out) {
  if (type.kind != OG_TENSOR || type.dtype == any) return false;
  ir::Dims dims = type.dims;
  for (int64_t& dim : dims)
    if (ir::is_symbol(dim)) dim = 2;
  const ir::Type concrete = ir::tensor_type(type.dtype, dims);
  if (concrete.numel() > kMaxElements) return false;
  *out = RuntimeValue::allocate(type.dtype, dims);
  if (out->abi().bytes) std::memset(out->abi().tensor.data, 0, out->abi().bytes);
  return true;
}

void run(const std::shared_ptr<const Model>& model, const SessionOptions& options, const std::atomic<bool>* cancel) {
  std::vector<std::pair<std::string, RuntimeValue>> feeds;
  for (const auto& input : model->inputs()) {
    RuntimeValue value;
    if (!make_feed(input.type, &value)) return;
    feeds.emplace_back(input.name, std::move(value));
  }
  Session session(model, options);
  RunOptions run_options;
  run_options.cancel = cancel;
  session.run({}, feeds, run_options);
}

}  // namespace

Outcome consume(const std::shared_ptr<const std::string>& bytes, const std::atomic<bool>* cancel) {
  formats::ReadLimits limits;
  limits.max_converted_bytes = kMemory;
  // Memory of exactly this size, so that a sanitizer sees reading past its end.
  const std::shared_ptr<char[]> exact(new char[bytes->size()]);
  std::copy(bytes->begin(), bytes->end(), exact.get());
  Stage stage = Stage::kRead;
  try {
    check_model(*formats::read_onnx_bytes(exact, exact.get(), bytes->size(), "mutant", limits));
    stage = Stage::kLoad;
    SessionOptions options;
    options.threads = 1;
    options.limits.converted_bytes = kMemory;
    options.limits.planned_bytes = kPlannedMemory;
    const auto model = Model::load_bytes(exact, exact.get(), bytes->size(), "mutant", options);
    stage = Stage::kRun;
    if (bytes->size() <= kMaxRunBytes) run(model, options, cancel);
  } catch (const Error& error) {
    return failed(stage, error);
  }
  return {true, ErrorCode::kInternal, stage, ""};
}

}  // namespace opgraft::fuzz
