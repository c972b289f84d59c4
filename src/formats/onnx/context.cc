// Limits, collected problems and texts of the ONNX reader.
#include "formats/onnx/context.h"

#include <cstdio>

namespace opgraft::formats::onnx {
namespace {

constexpr size_t kMaxProblems = 50;
constexpr size_t kMaxQuoted = 120;
constexpr size_t kMaxSegment = 64;

std::string escaped(std::string_view text, size_t limit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() > limit) return result + "...";
    const size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\x%02x", byte);
      result += code;
      text.remove_prefix(1);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return result;
}

}  // namespace

void Context::spend(uint64_t bytes) {
  structure_ += bytes;
  if (structure_ > limits.max_structure_bytes)
    throw Error(ErrorCode::kLimit, "its nodes, values and names take more than " +
                                       std::to_string(limits.max_structure_bytes) +
                                       " bytes of memory; if the file is trusted, raise the limit on structure");
  spend_tensor(0);
}

void Context::spend_tensor(uint64_t bytes) {
  if (__builtin_add_overflow(tensors_, bytes, &tensors_) || tensors_ > limits.max_converted_bytes - structure_ ||
      structure_ > limits.max_converted_bytes)
    throw Error(ErrorCode::kLimit, "the model takes more than " + std::to_string(limits.max_converted_bytes) +
                                       " bytes of memory beyond the file itself (converted tensors, nodes, names); if "
                                       "the file is trusted, raise the limit on converted bytes");
}

void Context::spend_dense(uint64_t bytes) {
  if (__builtin_add_overflow(dense_, bytes, &dense_) || dense_ > limits.max_dense_bytes)
    throw Error(ErrorCode::kLimit, "the sparse tensors would take more than " + std::to_string(limits.max_dense_bytes) +
                                       " bytes as dense ones; if the file is trusted, raise the limit on dense bytes");
  spend_tensor(bytes);
}

void Context::spend_nodes(size_t count) {
  nodes_ += count;
  if (nodes_ > static_cast<uint64_t>(limits.max_nodes))
    throw Error(ErrorCode::kLimit, "the model has more than " + std::to_string(limits.max_nodes) +
                                       " nodes; if the file is trusted, raise the limit on nodes");
}

void Context::problem(const std::string& where, const Error& error) {
  if (error.code() == ErrorCode::kLimit || error.code() == ErrorCode::kOutOfMemory)
    throw Stop{Error(error.code(), where.empty() ? error.what() : where + ": " + error.what())};
  if (problems_.empty()) code_ = error.code();
  problem(where.empty() ? error.what() : where + ": " + error.what());
}

void Context::problem(const std::string& text) {
  problems_.push_back(text);
  if (problems_.size() >= kMaxProblems) finish();
}

void Context::finish() const {
  if (problems_.empty()) return;
  if (problems_.size() == 1) throw Stop{Error(code_, problems_[0])};
  std::string text = std::to_string(problems_.size()) + " problems:";
  for (const auto& line : problems_) text += "\n  - " + line;
  if (problems_.size() >= kMaxProblems) text += "\n  (reading stopped here)";
  throw Stop{Error(code_, text)};
}

std::string quote(std::string_view text) { return "\"" + escaped(text, kMaxQuoted) + "\""; }

std::string path_segment(std::string_view text) { return escaped(text, kMaxSegment); }

std::string checked_name(std::string_view text, const char* what) {
  if (!is_utf8(text)) invalid(std::string(what) + " " + quote(text) + " is not UTF-8 text; rename it");
  return std::string(text);
}

std::string canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string() : checked_name(domain, "domain");
}

}  // namespace opgraft::formats::onnx
