// Replaces calls of model-local functions by their bodies.
#ifndef OPGRAFT_PASSES_INLINE_FUNCTIONS_H_
#define OPGRAFT_PASSES_INLINE_FUNCTIONS_H_

#include "ir/graph.h"
#include "registry/registry.h"

namespace opgraft::passes {

// A function that the registry has an operator for (same domain and name, with a kernel) is left to that operator.
void inline_functions(ir::Model& model, const Registry& registry);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_INLINE_FUNCTIONS_H_
