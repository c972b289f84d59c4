// Constant folding: pure nodes whose inputs are all known are run once, at load or when a plan is made.
#ifndef OPGRAFT_PASSES_FOLD_H_
#define OPGRAFT_PASSES_FOLD_H_

#include "exec/kernel.h"
#include "passes/infer.h"

namespace opgraft::passes {

struct FoldLimits {
  int64_t output_elements = 4096;  // per output
};

// True when the node is pure and all its inputs have known contents and its outputs are small enough.
bool foldable(const ir::Node& node, const Facts& facts, const FoldLimits& limits);

// Runs the node and stores the results in `facts`. An error while folding leaves the node as it is: false.
bool fold_node(const ir::Node& node, const BoundKernel& kernel, Facts& facts);

// The pass: infers and folds the model's graph and its subgraphs; folded nodes disappear, types are stored in values.
// Nodes must have been placed (Node::kernel); others are inferred only. Large results are folded when they are not much
// larger than what they are made of.
void infer_and_fold(ir::Model& model, bool fold);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_FOLD_H_
