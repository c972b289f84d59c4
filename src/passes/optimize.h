// Fusion: patterns of plug-ins are found in the graph and replaced.
#ifndef OPGRAFT_PASSES_OPTIMIZE_H_
#define OPGRAFT_PASSES_OPTIMIZE_H_

#include "ir/graph.h"
#include "passes/place.h"
#include "registry/registry.h"

namespace opgraft::passes {

// Applies all patterns, best priority first, until none applies, and places what they made. A replacement that cannot
// be placed is an Error of the plug-in that brought the pattern.
void optimize(ir::Model& model, const Registry& registry, const PlaceOptions& options);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_OPTIMIZE_H_
