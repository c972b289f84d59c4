// What all parts of reading one ONNX file share: where its bytes are, the limits, and the problems found so far.
#ifndef OPGRAFT_FORMATS_ONNX_CONTEXT_H_
#define OPGRAFT_FORMATS_ONNX_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/utf8.h"
#include "formats/onnx/reader.h"
#include "formats/protobuf.h"
#include "ir/graph.h"

namespace opgraft::formats::onnx {

using protobuf::Message;

// Ends reading at once, past all handlers that collect problems.
struct Stop {
  Error error;
};

struct Context {
  std::shared_ptr<const void> owner;  // of the bytes; null: nothing may point into them
  const char* origin = nullptr;
  std::string source;    // path or name, for messages
  bool is_file = false;  // `source` is a path, external data may stand beside it
  ReadLimits limits;
  ir::Model* model = nullptr;
  std::map<std::string, MappedFile, std::less<>> external;  // by location

  Message message(std::string_view bytes) const { return Message(bytes, origin); }
  // Accounts for memory that the model takes beyond the file: its structure, and its tensors. Called before the memory
  // is taken.
  void spend(uint64_t bytes);
  void spend_tensor(uint64_t bytes);
  void spend_dense(uint64_t bytes);
  void spend_nodes(size_t count);
  // Keeps the problem for the end. Throws Stop when it is no use going on: limits, memory, too many problems.
  void problem(const std::string& where, const Error& error);
  void problem(const std::string& text);
  bool has_problems() const { return !problems_.empty(); }
  // Throws Stop with what was collected, if anything.
  void finish() const;

 private:
  uint64_t structure_ = 0;
  uint64_t tensors_ = 0;
  uint64_t dense_ = 0;
  uint64_t nodes_ = 0;
  ErrorCode code_ = ErrorCode::kInvalidModel;
  std::vector<std::string> problems_;
};

// For messages: in quotes, control characters and broken UTF-8 escaped, cut when long.
std::string quote(std::string_view text);
// The same without quotes and cut to a few words, as a part of a path.
std::string path_segment(std::string_view text);
// A name as it stands in the file. Throws when it is not UTF-8.
std::string checked_name(std::string_view text, const char* what);
// "ai.onnx" and "" are one domain.
std::string canonical_domain(std::string_view domain);

[[noreturn]] inline void invalid(const std::string& text) { throw Error(ErrorCode::kInvalidModel, text); }

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_CONTEXT_H_
