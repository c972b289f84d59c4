// A file mapped read-only into memory.
#ifndef OPGRAFT_BASE_MAPPED_FILE_H_
#define OPGRAFT_BASE_MAPPED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

namespace opgraft {

struct MappedFile {
  std::shared_ptr<const void> owner;  // unmaps; null when the file is empty
  const char* data = nullptr;
  uint64_t size = 0;
};

// The file must not shrink while it is mapped. Throws Error: kNotFound when there is nothing at `path`,
// kInvalidArgument when it is a folder, a pipe, or not readable.
MappedFile map_file(const std::string& path);

}  // namespace opgraft
#endif  // OPGRAFT_BASE_MAPPED_FILE_H_
