// One kernel bound to one node: its packed state, its plan data, and a single run of it.
#ifndef OPGRAFT_EXEC_KERNEL_H_
#define OPGRAFT_EXEC_KERNEL_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "registry/contexts.h"
#include "registry/registry.h"

namespace opgraft {

// A value at run time with its memory. `value.tensor.shape` points into `dims`.
class RuntimeValue {
 public:
  RuntimeValue() { value_.size = sizeof(value_); }
  RuntimeValue(const RuntimeValue& other) { *this = other; }
  RuntimeValue& operator=(const RuntimeValue& other);
  // Borrows `value`, whose memory `owner` keeps alive (null: the caller does).
  RuntimeValue(const og_value& value, std::shared_ptr<const void> owner);
  static RuntimeValue of(const std::shared_ptr<const ir::Tensor>& tensor);
  // Fresh memory for a tensor of numbers or strings.
  static RuntimeValue allocate(opgraft::dtype dtype, const ir::Dims& dims);
  // A deep copy of a value of any kind.
  static RuntimeValue copy_of(const og_value& value);

  bool present() const { return value_.kind != OG_ABSENT; }
  const og_value& abi() const { return value_; }
  og_value& abi() { return value_; }
  const ir::Dims& dims() const { return dims_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  ir::Type type() const;
  std::shared_ptr<const ir::Tensor> tensor() const;  // shares memory; numbers and strings only

 private:
  og_value value_{};
  ir::Dims dims_;
  std::shared_ptr<const void> owner_;
};

// What RuntimeValue::allocate takes, contents of strings left out; 2^62 or more when it can't be had.
uint64_t allocated_bytes(const ir::Type& type);

// Dims and element type without contents.
og_value shape_only(const ir::Type& type);

// Runs the graphs in a node's attributes; implemented by the runtime.
struct SubgraphRunner {
  virtual ~SubgraphRunner() = default;
  // `captures` are the owner node's extra inputs.
  virtual std::vector<RuntimeValue> run(const std::string& attr, const og_value* inputs, int input_count,
                                        const og_value* captures, int capture_count) = 0;
};

// Knows who owns the memory of the values of a run in progress.
struct MemoryKeeper {
  virtual ~MemoryKeeper() = default;
  virtual std::shared_ptr<const void> keep() const = 0;
};

class BoundKernel {
 public:
  // Packs. Throws Error with the node's description.
  BoundKernel(const KernelDef& def, std::shared_ptr<const og_node> view, const ir::Node& node);
  ~BoundKernel();
  BoundKernel(const BoundKernel&) = delete;
  BoundKernel& operator=(const BoundKernel&) = delete;

  const KernelDef& def() const { return *def_; }
  const og_node* node() const { return view_.get(); }
  const void* state() const { return state_; }
  uint64_t packed_bytes() const { return packed_bytes_; }
  const std::string& describe() const { return describe_; }
  // Throws when an input that the operator needs is absent: a subgraph may be given an omitted value.
  void check_inputs(const std::vector<og_value>& inputs) const;

 private:
  const KernelDef* def_;
  std::shared_ptr<const og_node> view_;
  std::string describe_;
  std::vector<size_t> needed_;  // inputs that are not optional
  void* state_ = nullptr;
  std::vector<std::shared_ptr<void>> buffers_;
  uint64_t packed_bytes_ = 0;
};

// What `prepare` gave for one set of shapes.
struct PreparedKernel {
  PreparedKernel() = default;
  PreparedKernel(PreparedKernel&& other) noexcept { *this = std::move(other); }
  PreparedKernel& operator=(PreparedKernel&& other) noexcept;
  ~PreparedKernel();
  void* plan = nullptr;
  void (*free_plan)(void*) = nullptr;
  uint64_t scratch = 0;
};

PreparedKernel prepare_kernel(const BoundKernel& kernel, const std::vector<og_value>& inputs,
                              const std::vector<og_value>& outputs, int threads);

// Floating-point operations of one run for these shapes; 0 when the operator does not say.
double kernel_flops(const OpDef& op, const BoundKernel& kernel, const std::vector<og_value>& inputs,
                    const std::vector<og_value>& outputs);

// Whether the kernel's element types match and its predicate accepts the node.
bool kernel_matches(const KernelDef& def, const OpDef& op, const og_node& view, const std::vector<og_value>& inputs,
                    const std::vector<og_value>& outputs);

// The engine's side of one running kernel.
class StepEngine : public RunEngine {
 public:
  StepEngine(const BoundKernel* kernel, og_run* run) : kernel_(kernel), run_(run) {}
  // Results for outputs without a planned buffer, by position.
  std::vector<RuntimeValue> late;
  std::vector<char> late_allowed;        // by position: the buffer is allocated by output()
  std::vector<ir::Type> expected;        // by position, for late ones: what is known of the type
  const og_value* all_inputs = nullptr;  // captures included
  int all_input_count = 0;
  SubgraphRunner* runner = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  const MemoryKeeper* keeper = nullptr;
  uint64_t max_bytes = UINT64_MAX;  // of one output that is allocated during the run

  og_value* output(og_run* run, int index, const int64_t* dims, int ndim) override;
  void adopt(og_run* run, int index, const og_value& value, og_release_fn release, void* user) override;
  void forward(og_run* run, int index, const og_value& value) override;
  void subgraph(og_run* run, const char* attr, const og_value* inputs, int input_count, og_value* outputs,
                int output_count) override;
  void release(og_run* run, og_value* value) override;
  void append(og_run* run, int index, const og_value& value) override;
  void set_string(og_run* run, int output, int64_t index, const char* data, uint64_t length) override;
  bool cancelled() override { return cancel && cancel->load(std::memory_order_relaxed); }
  void scope(og_run* run, const char* name) override;
  std::shared_ptr<const void> keep_memory() override;

  void clear_results() { results_.clear(); }

 private:
  void check_index(int index) const;
  void set_late(int index, RuntimeValue value);
  const BoundKernel* kernel_;
  og_run* run_;
  std::vector<std::unique_ptr<RuntimeValue>> results_;
};

struct RunOnce {
  const og_parallel* parallel = nullptr;
  void* resource = nullptr;
  SubgraphRunner* runner = nullptr;
  const std::atomic<bool>* cancel = nullptr;
  const MemoryKeeper* keeper = nullptr;
  uint64_t max_bytes = UINT64_MAX;  // of one output
  int threads = 1;
};

// Prepares and runs a kernel once. `output_types`: what is known (concrete ones are allocated before); kind OG_ABSENT =
// unused output... `used` says which outputs are wanted. Throws Error with the node's description.
std::vector<RuntimeValue> run_once(const BoundKernel& kernel, const std::vector<og_value>& inputs, int capture_count,
                                   const std::vector<ir::Type>& output_types, const std::vector<char>& used,
                                   const RunOnce& options);

// Throws the error of a failed callback, with the node's description and the plug-in's name.
[[noreturn]] void throw_kernel_error(const BoundKernel& kernel, const char* stage);

}  // namespace opgraft
#endif  // OPGRAFT_EXEC_KERNEL_H_
