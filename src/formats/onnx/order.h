// Puts the nodes of a graph into topological order.
#ifndef OPGRAFT_FORMATS_ONNX_ORDER_H_
#define OPGRAFT_FORMATS_ONNX_ORDER_H_

#include "ir/graph.h"

namespace opgraft::formats::onnx {

// Keeps the order of the file where it can. Throws Error kInvalidModel that names the nodes of a cycle.
void sort_nodes(ir::Graph& graph);

}  // namespace opgraft::formats::onnx
#endif  // OPGRAFT_FORMATS_ONNX_ORDER_H_
