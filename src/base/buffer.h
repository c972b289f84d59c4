// Memory that is 64-byte aligned and shared by reference.
#ifndef OPGRAFT_BASE_BUFFER_H_
#define OPGRAFT_BASE_BUFFER_H_

#include <cstdint>
#include <memory>

namespace opgraft {

inline constexpr uint64_t kAlignment = 64;
constexpr uint64_t align_up(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Uninitialised memory of at least `bytes` (never null). Throws Error kOutOfMemory.
std::shared_ptr<void> allocate(uint64_t bytes);

// Bytes of memory that this machine has; a very large number when that cannot be told.
uint64_t physical_memory();

}  // namespace opgraft
#endif  // OPGRAFT_BASE_BUFFER_H_
