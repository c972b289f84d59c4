// The engine's side of the opaque handles of the boundary: interfaces that passes and executor implement.
#ifndef OPGRAFT_REGISTRY_CONTEXTS_H_
#define OPGRAFT_REGISTRY_CONTEXTS_H_

#include <memory>
#include <string>
#include <vector>

#include "registry/op_def.h"

// A node as plug-ins see it: attributes given, then defaults. Immutable; pointers handed out live as long as it does.
struct og_node {
  og_node(const opgraft::ir::Node& node, const opgraft::Signature* signature);
  og_node(const og_node&) = delete;
  og_node& operator=(const og_node&) = delete;

  std::string name;
  std::string op_type;
  std::string domain;
  int version = 0;
  int input_count = 0;  // explicit ones
  int output_count = 0;
  int given_count = 0;
  std::vector<og_attr> attributes;

 private:
  void add(const opgraft::ir::Attribute& attribute);
  struct Storage {
    opgraft::ir::Attribute attribute;
    std::vector<og_string> strings;
    std::vector<og_value> tensors;
    std::vector<const og_subgraph*> graphs;
    std::vector<og_type> types;
    std::vector<std::unique_ptr<og_type>> nested;
  };
  std::vector<std::unique_ptr<Storage>> storage_;
};

struct og_infer {
  virtual ~og_infer() = default;
  virtual const og_node* node() = 0;
  virtual bool input_type(int index, og_type* out) = 0;
  virtual bool input_value(int index, og_value* out) = 0;
  virtual bool input_integers(int index, const int64_t** values, int64_t* count, int32_t* ndim) = 0;
  virtual void set_output(int index, const og_type& type) = 0;
  virtual void set_output_integers(int index, const int64_t* values, int64_t count, int ndim) = 0;
  virtual int64_t combine(int operation, int64_t a, int64_t b) = 0;
  virtual void subgraph(const char* attr, const og_type* inputs, int input_count, og_type* outputs,
                        int output_count) = 0;
};

struct og_new_node;

struct og_graph {
  virtual ~og_graph() = default;
  virtual const og_node* node() = 0;
  virtual bool input_type(int index, og_type* out) = 0;
  virtual bool input_value(int index, og_value* out) = 0;
  virtual bool has_output(int index) = 0;
  virtual void set_opset(const std::string& domain, int version) = 0;
  virtual og_new_node* add(const char* domain, const char* op_type, const char* const* inputs, int input_count,
                           const char* const* outputs, int output_count) = 0;
  virtual void constant(const char* name, std::shared_ptr<const opgraft::ir::Tensor> tensor) = 0;
};

struct og_new_node {
  virtual ~og_new_node() = default;
  virtual void attr(opgraft::ir::Attribute attribute) = 0;
  virtual void attr_from(const char* source, const char* name) = 0;
};

struct og_pack {
  virtual ~og_pack() = default;
  virtual const og_node* node() = 0;
  virtual bool input(int index, og_value* out) = 0;
  virtual void* buffer(uint64_t bytes) = 0;
};

struct og_prepare {
  virtual ~og_prepare() = default;
  virtual const og_node* node() = 0;
  virtual bool input(int index, og_value* out) = 0;
  virtual bool output(int index, og_value* out) = 0;
  virtual const void* state() = 0;
  virtual int threads() = 0;
  virtual void scratch(uint64_t bytes) = 0;
};

namespace opgraft {

// What `og_run::engine` points to.
struct RunEngine {
  virtual ~RunEngine() = default;
  virtual og_value* output(og_run* run, int index, const int64_t* dims, int ndim) = 0;
  virtual void adopt(og_run* run, int index, const og_value& value, og_release_fn release, void* user) = 0;
  virtual void forward(og_run* run, int index, const og_value& value) = 0;
  virtual void subgraph(og_run* run, const char* attr, const og_value* inputs, int input_count, og_value* outputs,
                        int output_count) = 0;
  virtual void release(og_run* run, og_value* value) = 0;
  virtual void append(og_run* run, int index, const og_value& value) = 0;
  virtual void set_string(og_run* run, int output, int64_t index, const char* data, uint64_t length) = 0;
  virtual bool cancelled() = 0;
  virtual void scope(og_run* run, const char* name) = 0;
  // An owner of all memory that the run's values lie in; for kernels in languages whose values may outlive the call.
  // What is written there after the call is not kept from showing.
  virtual std::shared_ptr<const void> keep_memory() = 0;
};

// Contents of sequences, optionals and maps (keys, values) behind og_value::handle.
struct SequenceObject {
  std::vector<og_value> items;
  std::vector<std::shared_ptr<const void>> owners;
};

// The table given to every plug-in.
const og_host* host_table();

// Text of the last failed callback on this thread; empties it.
std::string take_error();
void set_error(const std::string& text);

ir::Attribute attribute_from_abi(const og_attr& raw);
std::shared_ptr<const ir::Tensor> tensor_from_abi(const og_value& value);  // copies

// 0 scalar, 1 AVX2, 2 AVX-512: what the machine has, or what OPGRAFT_CPU forces. Throws Error for a level it lacks.
int cpu_level();

}  // namespace opgraft
#endif  // OPGRAFT_REGISTRY_CONTEXTS_H_
