// Sizes that several inputs tell and that must be the same.
#ifndef OPGRAFT_AGREE_H_
#define OPGRAFT_AGREE_H_

#include <string>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {

// The better known of two sizes that must be equal, numbers or symbols; fails with "`what` differ" when they are not.
inline int64_t agree(int64_t a, int64_t b, const std::string& what) {
  if (is_known(a) && is_known(b) && a != b) fail(what + " differ: " + std::to_string(a) + " and " + std::to_string(b));
  return a == kUnknown || (is_symbol(a) && is_known(b)) ? b : a;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_AGREE_H_
