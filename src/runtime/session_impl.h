// Inside of a session: instances of plans, arenas, and the walk over a program.
#ifndef OPGRAFT_RUNTIME_SESSION_IMPL_H_
#define OPGRAFT_RUNTIME_SESSION_IMPL_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread_pool.h"
#include "runtime/plan.h"
#include "runtime/program.h"
#include "runtime/session.h"

namespace opgraft {

struct SessionImpl;
struct Instance;

// One block of arena memory.
struct ArenaBlock {
  std::shared_ptr<void> memory;
  uint64_t bytes = 0;
};

// An instance in use, outer graphs before inner ones.
struct ActiveInstance {
  const Instance* instance = nullptr;
  std::shared_ptr<const Plan> plan;
};

// What belongs to one call of Session::run.
struct RunState : MemoryKeeper {
  SessionImpl* session = nullptr;
  std::vector<ActiveInstance>* active = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  const og_parallel* parallel = nullptr;
  int depth = 0;
  std::shared_ptr<const void> keep() const override;
};

// Runs subgraphs for one step.
struct StepRunner : SubgraphRunner {
  const StepDef* step = nullptr;
  RunState* state = nullptr;
  std::vector<RuntimeValue> run(const std::string& attr, const og_value* inputs, int input_count,
                                const og_value* captures, int capture_count) override;
};

// A plan with memory of its own: arguments bound to addresses. Used by one run at a time.
struct Instance {
  Instance(Plan& plan, SessionImpl& session);
  Plan& plan;
  std::vector<og_value> args;
  std::vector<og_run> runs;
  std::vector<std::unique_ptr<StepEngine>> engines;
  std::vector<std::unique_ptr<StepRunner>> runners;
  std::vector<std::pair<int, int>> patches;  // argument, frame slot
  std::vector<RuntimeValue> frame;           // by slot
  ArenaBlock block;
  const void* bound = nullptr;
  std::unique_ptr<passes::Facts> late_facts;

  void bind();
};

struct SessionImpl {
  SessionImpl(std::shared_ptr<const Model> m, const SessionOptions& o);
  ~SessionImpl();

  std::shared_ptr<const Model> model;
  SessionOptions options;
  int threads = 1;
  std::unique_ptr<ThreadPool> pool;
  og_parallel parallel{};
  std::vector<void*> resources;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  struct Plans {
    std::mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<Plan>> plans;
  };
  std::vector<std::unique_ptr<Plans>> plans;  // by Program::id

  std::mutex arena_mutex;
  std::vector<ArenaBlock> free_blocks;
  uint64_t arena_total = 0;

  std::mutex profile_mutex;
  std::vector<ProfileEvent> events;

  // Inputs and captures in the order of the graph's lists; results in the order of its outputs.
  std::vector<RuntimeValue> run_program(const Program& program, const std::vector<RuntimeValue>& inputs,
                                        const og_value* captures, int capture_count, RunState& state);

 private:
  std::shared_ptr<Plan> first_plan(const Program& program, const std::vector<RuntimeValue>& inputs,
                                   const og_value* captures, int capture_count);
  std::shared_ptr<Plan> next_plan(Plan& plan, const std::vector<RuntimeValue>& late);
  std::unique_ptr<Instance> acquire(Plan& plan);
  void release(std::unique_ptr<Instance> instance);
  void run_steps(Instance& instance, RunState& state);
  std::vector<RuntimeValue> run_late(Instance& instance, RunState& state);
  void record(const StepDef& step, double flops, std::chrono::steady_clock::time_point begin);
};

}  // namespace opgraft
#endif  // OPGRAFT_RUNTIME_SESSION_IMPL_H_
