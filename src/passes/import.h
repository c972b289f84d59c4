// Import: foreign nodes become canonical operators of the registry, by import rules, version rules, or one to one.
#ifndef OPGRAFT_PASSES_IMPORT_H_
#define OPGRAFT_PASSES_IMPORT_H_

#include <set>
#include <string>

#include "ir/graph.h"
#include "registry/registry.h"

namespace opgraft::passes {

struct ImportOptions {
  std::string plugins_searched;                    // told in the error for unknown operators
  const std::set<std::string>* allowed = nullptr;  // allow-list of "domain::name"; null = all
};

// Inlines calls of the model's functions (nested, with attribute references), then raises every node. All problems in
// one Error: each with domain, version, node, graph path and near misses.
void import(ir::Model& model, const Registry& registry, const ImportOptions& options);

// The same for nodes that a body or a pattern made; `out` receives canonical nodes in order.
void import_nodes(ir::Graph& graph, std::vector<std::unique_ptr<ir::Node>> nodes, const Registry& registry,
                  const std::string& format, std::vector<std::unique_ptr<ir::Node>>* out);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_IMPORT_H_
