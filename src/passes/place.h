// Placement: a kernel for every node; where there is none, casts to float around it, or the operator's body.
#ifndef OPGRAFT_PASSES_PLACE_H_
#define OPGRAFT_PASSES_PLACE_H_

#include "ir/graph.h"
#include "registry/registry.h"

namespace opgraft::passes {

struct PlaceOptions {
  bool prefer_bodies = false;  // leave kernels out where a body exists (to test bodies)
};

// Places all nodes of the model, folding what is known on the way, until nothing changes. All nodes without a way to
// run are reported in one Error.
void place(ir::Model& model, const Registry& registry, const PlaceOptions& options);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_PLACE_H_
