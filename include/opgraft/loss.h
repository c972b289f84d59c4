// What the losses over classes share.
#ifndef OPGRAFT_LOSS_H_
#define OPGRAFT_LOSS_H_

#include <string>

#include "opgraft/op.h"

namespace opgraft OG_HIDDEN {

enum class LossReduction { none, sum, mean };

inline LossReduction loss_reduction(const Node& node) {
  const std::string name = node.get("reduction", "mean");
  if (name == "none") return LossReduction::none;
  if (name == "sum") return LossReduction::sum;
  if (name == "mean") return LossReduction::mean;
  fail("reduction is \"" + name + "\", expected none, sum or mean");
}

// Output 0 of a loss over scores [N, C, d...] and labels [N, d...].
inline void infer_loss(Infer& c) {
  if (c.ranked(0) && c.ndim(0) < 2) fail("scores must have at least 2 axes, they have " + std::to_string(c.ndim(0)));
  if (c.ranked(0) && c.ranked(1) && c.ndim(1) != c.ndim(0) - 1)
    fail("labels must have one axis less than the scores, they have " + std::to_string(c.ndim(1)) + " and " +
         std::to_string(c.ndim(0)));
  if (loss_reduction(c) != LossReduction::none) return c.out(0, c.dtype(0), Dims{});
  if (c.ranked(1))
    c.out(0, c.dtype(0), c.dims(1));
  else if (c.ranked(0)) {
    Dims dims = c.dims(0);
    dims.erase(dims.begin() + 1);
    c.out(0, c.dtype(0), dims);
  } else {
    c.out(0, c.dtype(0));
  }
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_LOSS_H_
