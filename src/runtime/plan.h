// A plan: a stretch of a program for one set of input shapes, with every buffer placed. It ends at the graph's end, or
// after a node whose output dims only data decides; the plan of what follows is looked up by the shapes that came out.
#ifndef OPGRAFT_RUNTIME_PLAN_H_
#define OPGRAFT_RUNTIME_PLAN_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/infer.h"
#include "runtime/program.h"

namespace opgraft {

enum class Place : uint8_t {
  kNone,      // not made in this stretch
  kConstant,  // known contents
  kArena,     // offset into the arena
  kOutput,    // a buffer of its own, made at each run: graph outputs never lie in the arena
  kExternal   // comes from outside: graph input, capture, an earlier stretch
};

struct ValuePlace {
  Place place = Place::kNone;
  int root = -1;        // the value whose buffer this one shares (itself when it has one)
  uint64_t offset = 0;  // kArena
  int slot = -1;        // kOutput, kExternal: index into the frame
};

struct PlannedStep {
  int step = 0;
  PreparedKernel prepared;
  uint64_t scratch_offset = 0;
  int first_arg = 0;  // inputs (captures included), then outputs, in the instance's argument array
  int input_count = 0;
  int output_count = 0;
  double flops = 0;
};

struct Instance;

struct Plan {
  Plan(const Program& p, passes::Facts f);
  ~Plan();
  const Program& program;
  passes::Facts facts;  // at the end of the stretch; a late step's outputs are not concrete
  int begin = 0;
  int end = 0;                     // one past the last step of the stretch
  bool late = false;               // step end - 1 has outputs of unknown dims
  std::vector<ValuePlace> places;  // by Value::index
  std::vector<PlannedStep> steps;  // those that run; the late one last, without prepared data
  std::vector<og_value> args;      // templates: dims, types, constant data
  std::vector<int> arg_values;     // Value::index of each argument, -1 = absent
  std::vector<int> externals;      // Value::index by slot, first the externals ...
  std::vector<int> heap;           // ... then the kOutput roots
  uint64_t arena_bytes = 0;

  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Plan>> next;
  std::vector<std::unique_ptr<Instance>> free_instances;
};

struct PlanLimits {
  uint64_t bytes = UINT64_MAX;  // of the arena, and of the buffers outside
};

// Plans from step `begin`; `facts` tells the types of everything made before. Throws Error for shapes that do not fit.
std::unique_ptr<Plan> make_plan(const Program& program, int begin, passes::Facts facts, int threads,
                                const PlanLimits& limits);

}  // namespace opgraft
#endif  // OPGRAFT_RUNTIME_PLAN_H_
