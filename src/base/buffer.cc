// Aligned allocation.
#include "base/buffer.h"

#include <unistd.h>

#include <cstdlib>

#include "base/error.h"

namespace opgraft {

std::shared_ptr<void> allocate(uint64_t bytes) {
  void* memory = bytes < (uint64_t(1) << 46) ? std::aligned_alloc(kAlignment, align_up(bytes ? bytes : 1)) : nullptr;
  if (!memory) throw Error(ErrorCode::kOutOfMemory, "out of memory: " + std::to_string(bytes) + " bytes wanted");
  return std::shared_ptr<void>(memory, [](void* p) { std::free(p); });
}

uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) : uint64_t(1) << 46;
}

}  // namespace opgraft
