// Topological sorting that keeps the given order where it can.
#include "formats/onnx/order.h"

#include <functional>
#include <queue>
#include <unordered_map>

#include "formats/onnx/context.h"

namespace opgraft::formats::onnx {
namespace {

constexpr size_t kMaxNamed = 10;

// Follows unfinished producers from any unfinished node until one repeats: that is a cycle.
std::string describe_cycle(const ir::Graph& graph, const std::vector<std::vector<size_t>>& producers,
                           const std::vector<bool>& done) {
  size_t node = 0;
  while (done[node]) ++node;
  std::vector<size_t> walk;
  std::vector<bool> seen(done.size());
  while (!seen[node]) {
    seen[node] = true;
    walk.push_back(node);
    for (const size_t producer : producers[node])
      if (!done[producer]) {
        node = producer;
        break;
      }
  }
  while (walk.front() != node) walk.erase(walk.begin());
  std::string text;
  for (size_t i = 0; i < walk.size() && i < kMaxNamed; ++i)
    text += (i ? ", which needs " : "node ") + quote(graph.nodes[walk[i]]->name);
  if (walk.size() > kMaxNamed) text += ", and so on over " + std::to_string(walk.size()) + " nodes";
  return text + (walk.size() == 1 ? " needs its own output" : ", which needs the first one again");
}

}  // namespace

void sort_nodes(ir::Graph& graph) {
  const size_t count = graph.nodes.size();
  std::unordered_map<const ir::Node*, size_t> position;
  for (size_t i = 0; i < count; ++i) position[graph.nodes[i].get()] = i;
  std::vector<std::vector<size_t>> producers(count), consumers(count);
  std::vector<size_t> missing(count);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    for (const ir::Value* input : graph.nodes[i]->inputs)
      if (input && input->producer) producers[i].push_back(position.at(input->producer));
    for (const size_t producer : producers[i]) consumers[producer].push_back(i);
    missing[i] = producers[i].size();
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  std::vector<bool> done(count);
  while (!ready.empty()) {
    const size_t node = ready.top();
    ready.pop();
    done[node] = true;
    order.push_back(node);
    for (const size_t consumer : consumers[node])
      if (--missing[consumer] == 0) ready.push(consumer);
  }
  if (order.size() != count)
    throw Error(ErrorCode::kInvalidModel, "the nodes form a cycle: " + describe_cycle(graph, producers, done));
  std::vector<std::unique_ptr<ir::Node>> sorted;
  sorted.reserve(count);
  for (const size_t node : order) sorted.push_back(std::move(graph.nodes[node]));
  graph.nodes = std::move(sorted);
}

}  // namespace opgraft::formats::onnx
