// Mapping files.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace opgraft {
namespace {

// Closed on every way out.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

MappedFile map_file(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::kInvalidArgument, "the path of the file is empty");
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorCode::kInvalidArgument, "the path of the file holds a zero character");
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) {
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR)
      throw Error(ErrorCode::kNotFound, path + ": there is no such file; check the path and the working directory");
    throw Error(ErrorCode::kInvalidArgument, path + ": it cannot be opened: " + std::strerror(reason));
  }
  struct stat status {};
  if (fstat(file.number, &status) != 0)
    throw Error(ErrorCode::kInvalidArgument, path + ": it cannot be examined: " + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    throw Error(ErrorCode::kInvalidArgument, path + ": it is a folder, not a file; name a file in it");
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCode::kInvalidArgument, path + ": it is not a regular file; pass its contents as bytes instead");
  MappedFile result;
  result.size = static_cast<uint64_t>(status.st_size);
  if (result.size == 0) return result;
  void* memory = mmap(nullptr, result.size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorCode::kOutOfMemory, path + ": it cannot be mapped: " + std::strerror(errno));
  const uint64_t size = result.size;
  result.owner = std::shared_ptr<const void>(memory, [size](const void* p) { munmap(const_cast<void*>(p), size); });
  result.data = static_cast<const char*>(memory);
  return result;
}

}  // namespace opgraft
