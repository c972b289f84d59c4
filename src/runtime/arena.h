// Offsets in one block of memory for buffers that live over ranges of steps.
#ifndef OPGRAFT_RUNTIME_ARENA_H_
#define OPGRAFT_RUNTIME_ARENA_H_

#include <cstdint>
#include <map>

namespace opgraft {

// First come in step order, best fit among the holes; neighbours merge when freed.
class ArenaLayout {
 public:
  uint64_t take(uint64_t bytes);
  void give(uint64_t offset, uint64_t bytes);
  uint64_t size() const { return size_; }

 private:
  std::map<uint64_t, uint64_t> holes_;  // offset -> bytes
  uint64_t size_ = 0;
};

}  // namespace opgraft
#endif  // OPGRAFT_RUNTIME_ARENA_H_
