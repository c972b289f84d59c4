// Models and sessions: load once, share the weights, run from many threads.
#ifndef OPGRAFT_RUNTIME_SESSION_H_
#define OPGRAFT_RUNTIME_SESSION_H_

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "exec/kernel.h"
#include "ir/graph.h"
#include "registry/registry.h"

namespace opgraft {

struct ProgramBuilder;
struct Program;

struct Limits {
  uint64_t planned_bytes = physical_memory();    // the arena of one plan; its other buffers; one late output
  uint64_t converted_bytes = uint64_t(2) << 30;  // constants converted while reading
  int64_t plans = 256;                           // cached plans per graph; the cache is emptied beyond
};

struct SessionOptions {
  int threads = 0;             // of one run; 0 = all processors this process may use
  bool optimize = true;        // fusion patterns
  bool prefer_bodies = false;  // run bodies instead of kernels where both exist
  bool profile = false;
  bool has_allowed_operators = false;
  std::set<std::string> allowed_operators;  // "domain::name", standard ones as "::Add"
  Limits limits;
};

// What a model says of itself and of one input or output.
struct ValueInfo {
  std::string name;
  ir::Type type;
};

// A loaded, optimised, placed model: immutable, shared by sessions. Thread-safe.
class Model {
 public:
  // Throws Error. The format is found from the contents.
  static std::shared_ptr<const Model> load_file(const std::string& path, const SessionOptions& options);
  static std::shared_ptr<const Model> load_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                                 const std::string& source, const SessionOptions& options);
  ~Model();

  const ir::Model& ir() const { return *ir_; }
  const Program& program() const { return *program_; }
  const std::vector<const struct StepDef*>& resources() const { return resources_; }
  int program_count() const { return program_count_; }
  std::vector<ValueInfo> inputs() const;                    // those that must be fed
  std::vector<ValueInfo> overridable_initializers() const;  // those that may be fed
  std::vector<ValueInfo> outputs() const;
  std::string type_text(const ir::Type& type) const;  // with symbol names
  uint64_t packed_bytes() const { return packed_bytes_; }
  // One line a node: operator, which way it went (kernel of which plug-in and priority).
  std::string placement_report() const;

 private:
  Model() = default;
  static std::shared_ptr<const Model> finish(std::unique_ptr<ir::Model> ir, const SessionOptions& options);
  std::unique_ptr<ir::Model> ir_;
  std::shared_ptr<const Registry> registry_;
  std::unique_ptr<Program> program_;
  std::vector<const struct StepDef*> resources_;
  int program_count_ = 0;
  uint64_t packed_bytes_ = 0;
};

// Types of all values of a model's graph and subgraphs that have a name, in the file's order; kind OG_ABSENT = unknown.
struct InferredTypes {
  std::vector<ValueInfo> values;
  ir::Symbols symbols;
};
// Reads and infers only. Throws Error as Model::load_file does.
InferredTypes infer_types_file(const std::string& path, const SessionOptions& options);
InferredTypes infer_types_bytes(std::shared_ptr<const void> owner, const void* data, size_t size,
                                const std::string& source, const SessionOptions& options);

struct ProfileEvent {
  std::string node;
  std::string op_type;
  std::string plugin;
  int64_t start_ns = 0;  // from the start of the session
  int64_t duration_ns = 0;
  double flops = 0;  // 0 = not told by the operator
};

struct RunOptions {
  const std::atomic<bool>* cancel = nullptr;
};

struct SessionImpl;

// Plans and memory for running one model. `run` may be called from many threads at once.
class Session {
 public:
  Session(std::shared_ptr<const Model> model, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Model& model() const;
  // feeds by name; outputs in the order of `output_names` (empty = all). Inputs are borrowed for the call. The
  // returned values own their memory. Throws Error: all wrong feeds in one.
  std::vector<RuntimeValue> run(const std::vector<std::string>& output_names,
                                const std::vector<std::pair<std::string, RuntimeValue>>& feeds,
                                const RunOptions& options = {});
  // Events since the last call; empty unless SessionOptions::profile.
  std::vector<ProfileEvent> take_profile();
  // Bytes of arenas held and of the largest plan so far.
  uint64_t arena_bytes() const;

 private:
  std::unique_ptr<SessionImpl> impl_;
};

// Registers the operators and kernels that opgraft ships; called by everything above, once.
void register_builtins();

}  // namespace opgraft
#endif  // OPGRAFT_RUNTIME_SESSION_H_
