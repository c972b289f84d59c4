// What the registry knows of an operator: everything that a plug-in said through the host table.
#ifndef OPGRAFT_REGISTRY_OP_DEF_H_
#define OPGRAFT_REGISTRY_OP_DEF_H_

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "opgraft/abi.h"

namespace opgraft {

// A callback and what it owns; releases `user` with the last copy of the owning shared_ptr.
template <class Fn>
struct Callback {
  Fn fn = nullptr;
  void* user = nullptr;
  std::shared_ptr<void> owner;
  explicit operator bool() const { return fn != nullptr; }
};

template <class Fn>
Callback<Fn> make_callback(Fn fn, void* user, og_release_fn release) {
  Callback<Fn> callback{fn, user, nullptr};
  if (release) callback.owner = std::shared_ptr<void>(user, release);
  return callback;
}

struct ArgDef {
  std::string name;
  std::string type;  // a type variable or a type string
  std::string doc;
  uint32_t flags = 0;
  int min_arity = 1;

  bool optional() const { return flags & OG_OPTIONAL_ARG; }
  bool variadic() const { return flags & OG_VARIADIC_ARG; }
};

struct AttrDef {
  ir::Attribute value;  // name, kind and the default
  bool has_default = false;
  bool required = false;
  std::string doc;
};

struct TypeConstraint {
  std::string variable;
  std::vector<std::string> types;
  std::string doc;
};

struct Signature {
  int since_version = 1;
  std::string doc;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attributes;
  std::vector<TypeConstraint> constraints;

  const AttrDef* find_attr(const std::string& name) const;
  // The argument at a position; the last one when it is variadic; null beyond.
  const ArgDef* input_at(size_t index) const;
  const ArgDef* output_at(size_t index) const;
  // Types that an argument type ("T" or "tensor(float)") allows.
  std::vector<std::string> allowed_types(const std::string& type) const;
  // "Foo(X: T, axes?: tensor(int64)) -> (Y: T)"
  std::string text(const std::string& name) const;
};

struct KernelDef {
  std::string backend;
  std::string plugin;
  int priority = 0;
  uint32_t flags = 0;
  std::vector<std::pair<std::string, opgraft::dtype>> types;  // variable -> dtype
  std::string layouts;
  std::string epilogue;
  og_kernel calls{};  // function pointers and user; strings in it are not valid
  std::shared_ptr<void> owner;
};

struct OldVersion {
  Signature signature;
  Callback<og_graph_fn> raise;     // none: the node is the same in the newest version
  bool inherits = false;           // until it is published, `signature` holds what differs from the next newer version
  std::vector<std::string> drops;  // and these are the names that it had not
};

struct OpDef {
  std::string domain;
  std::string name;
  std::string plugin;       // name of the plug-in that owns it
  std::string plugin_file;  // for errors
  Signature signature;
  std::vector<OldVersion> old_versions;  // ascending
  Callback<og_infer_fn> infer;
  Callback<og_graph_fn> body;
  bool body_fixed = false;
  Callback<og_graph_fn> lower;
  Callback<og_flops_fn> flops;
  std::vector<std::shared_ptr<const KernelDef>> kernels;
  std::vector<std::pair<int, int>> inplace;
  std::vector<std::pair<int, int>> alias;
  int purity = OG_STATEFUL;
  std::string pointwise;
  og_resource resource{};
  bool has_resource = false;

  std::string qualified_name() const { return domain.empty() ? name : domain + "::" + name; }
  bool pure() const { return purity == OG_PURE; }
};

struct ImportDef {
  std::string format;
  std::string foreign_name;
  int first_version = 0;  // inclusive range
  int last_version = INT32_MAX;
  std::string plugin;
  std::shared_ptr<const OpDef> op;
  Callback<og_graph_fn> rule;
};

struct PatternDef {
  std::string name;
  std::string text;
  int priority = 0;
  std::string plugin;
  Callback<og_graph_fn> replace;
};

struct ServiceDef {
  std::string name;
  int version = 1;
  const void* table = nullptr;
  std::string plugin;
};

struct PluginInfo {
  std::string name;
  std::string version;
  std::string file;  // "built-in", a library's or a Python file's path
  uint32_t abi_level = 0;
  int operator_count = 0;
};

}  // namespace opgraft
#endif  // OPGRAFT_REGISTRY_OP_DEF_H_
