// Arena layout.
#include "runtime/arena.h"

#include <iterator>

#include "base/buffer.h"

namespace opgraft {

uint64_t ArenaLayout::take(uint64_t bytes) {
  bytes = align_up(bytes ? bytes : 1);
  auto best = holes_.end();
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole)
    if (hole->second >= bytes && (best == holes_.end() || hole->second < best->second)) best = hole;
  if (best != holes_.end()) {
    const uint64_t offset = best->first, rest = best->second - bytes;
    holes_.erase(best);
    if (rest) holes_[offset + bytes] = rest;
    return offset;
  }
  // A hole at the end grows.
  uint64_t offset = size_;
  if (!holes_.empty()) {
    const auto last = std::prev(holes_.end());
    if (last->first + last->second == size_) {
      offset = last->first;
      holes_.erase(last);
    }
  }
  size_ = offset + bytes;
  return offset;
}

void ArenaLayout::give(uint64_t offset, uint64_t bytes) {
  bytes = align_up(bytes ? bytes : 1);
  auto hole = holes_.emplace(offset, bytes).first;
  const auto following = std::next(hole);
  if (following != holes_.end() && hole->first + hole->second == following->first) {
    hole->second += following->second;
    holes_.erase(following);
  }
  if (hole != holes_.begin()) {
    const auto before = std::prev(hole);
    if (before->first + before->second == hole->first) {
      before->second += hole->second;
      holes_.erase(hole);
    }
  }
}

}  // namespace opgraft
