// What every graph that a reader made must satisfy.
#ifndef OPGRAFT_TESTS_FUZZ_CHECK_GRAPH_H_
#define OPGRAFT_TESTS_FUZZ_CHECK_GRAPH_H_

#include "ir/graph.h"

namespace opgraft::fuzz {

// Throws std::logic_error that says which promise is broken.
void check_model(ir::Model& model);
// Text from a file in a message must be fit to be shown.
void check_text(const std::string& text);

}  // namespace opgraft::fuzz
#endif  // OPGRAFT_TESTS_FUZZ_CHECK_GRAPH_H_
