// C++ SDK for operators: the builder that defines one, and the two macros that register it.
//
//   OG_OP(Foo, "com.examples", 1) { op.doc("...").input("X", "T").output("Y", "T").types("T", {f32, f16}); ... }
//   OG_PLUGIN("com.examples", "1.0")
//
// Everything but name, domain and version is optional. Without `infer` types and shapes come from the body;
// without both the first output is like the first input. Without a kernel the body serves; without purity the operator
// counts as stateful and is never folded.
#ifndef OPGRAFT_OP_H_
#define OPGRAFT_OP_H_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opgraft/abi.h"
#include "opgraft/context.h"
#include "opgraft/dtype.h"
#include "opgraft/types.h"

namespace opgraft OG_HIDDEN {

inline constexpr const char* cpu = "cpu";
inline constexpr const char* onnx = "onnx";

enum Arg : uint32_t {
  required = 0,
  optional = OG_OPTIONAL_ARG,
  variadic = OG_VARIADIC_ARG,
  heterogeneous = OG_HETEROGENEOUS_ARG  // of a variadic argument: each entry may have its own type
};
constexpr Arg operator|(Arg a, Arg b) { return static_cast<Arg>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b)); }
enum class Purity { stateful = OG_STATEFUL, pure = OG_PURE, random = OG_RANDOM };

struct TypeBind {
  const char* variable;
  dtype type;
};

struct Pattern {
  const char* name;
  const char* pattern;
  int priority;
  void (*replace)(Graph&);
};

namespace detail {

template <class C>
using Callback = void (*)(C&);

inline void* erase(void (*fn)()) { return reinterpret_cast<void*>(fn); }

// `void` and `bool` graph builders: false = no graph for these types.
inline int32_t call_graph_void(void* user, og_graph* raw) {
  return guard([&] {
    Graph graph(raw);
    reinterpret_cast<void (*)(Graph&)>(user)(graph);
  });
}
inline int32_t call_graph_bool(void* user, og_graph* raw) {
  bool built = false;
  const int32_t status = guard([&] {
    Graph graph(raw);
    built = reinterpret_cast<bool (*)(Graph&)>(user)(graph);
  });
  return status ? status : built ? 0 : int32_t(OG_NOT_YET);
}

template <class F>
std::pair<og_graph_fn, void*> graph_callback(F fn) {
  if constexpr (std::is_same_v<std::invoke_result_t<F, Graph&>, bool>)
    return {&call_graph_bool, reinterpret_cast<void*>(static_cast<bool (*)(Graph&)>(fn))};
  else
    return {&call_graph_void, reinterpret_cast<void*>(static_cast<void (*)(Graph&)>(fn))};
}

template <class K, class = void>
struct HasPack : std::false_type {};
template <class K>
struct HasPack<K, std::void_t<decltype(std::declval<K&>().pack(std::declval<Pack&>()))>> : std::true_type {};
template <class K, class = void>
struct HasPrepare : std::false_type {};
template <class K>
struct HasPrepare<K, std::void_t<decltype(std::declval<const K&>().prepare(std::declval<Prepare&>()))>>
    : std::true_type {};
template <class K, class = void>
struct HasSupports : std::false_type {};
template <class K>
struct HasSupports<K, std::void_t<decltype(K::supports(std::declval<Prepare&>()))>> : std::true_type {};

// C callbacks of a kernel written as a struct.
template <class K>
struct KernelCalls {
  static int32_t pack(void*, og_pack* raw, void** state) {
    return guard([&] {
      Pack ctx(raw);
      auto kernel = std::make_unique<K>();
      if constexpr (HasPack<K>::value) kernel->pack(ctx);
      *state = kernel.release();
    });
  }
  static void free_state(void* state) { delete static_cast<K*>(state); }
  static int32_t supports(void*, og_prepare* raw, int32_t* answer) {
    return guard([&] {
      Prepare ctx(raw);
      if constexpr (HasSupports<K>::value) *answer = K::supports(ctx) ? 1 : 0;
    });
  }
  static int32_t prepare(void*, og_prepare* raw, void** plan) {
    return guard([&] {
      Prepare ctx(raw);
      if constexpr (HasPrepare<K>::value) {
        const K& kernel = *static_cast<const K*>(host->prepare_state(raw));
        using Result = decltype(kernel.prepare(ctx));
        if constexpr (std::is_void_v<Result>)
          kernel.prepare(ctx);
        else
          *plan = new Result(kernel.prepare(ctx));
      }
    });
  }
  static void free_plan(void* plan) {
    if constexpr (HasPrepare<K>::value) {
      using Result = decltype(std::declval<const K&>().prepare(std::declval<Prepare&>()));
      if constexpr (!std::is_void_v<Result>) delete static_cast<Result*>(plan);
    }
  }
  static int32_t run(void*, og_run* raw) {
    return guard([&] {
      Run ctx(raw);
      static_cast<const K*>(raw->state)->run(ctx);
    });
  }
};

inline int32_t call_run(void* user, og_run* raw) {
  return guard([&] {
    Run run(raw);
    reinterpret_cast<void (*)(Run&)>(user)(run);
  });
}
template <class T>
int32_t call_run_typed(void* user, og_run* raw) {
  return guard([&] {
    Run run(raw);
    reinterpret_cast<void (*)(T, Run&)>(user)(T{}, run);
  });
}

inline std::string type_string(dtype type) { return std::string("tensor(") + dtype_name(type) + ")"; }

}  // namespace detail

// Kernel options beyond types: priority, flags, epilogue, layouts.
struct KernelOptions {
  int priority = 0;  // 0 = the plug-in's band
  uint32_t flags = 0;
  const char* epilogue = nullptr;
  const char* layouts = nullptr;
};

class Op {
 public:
  explicit Op(og_op* op) : op_(op) {}
  og_op* handle() const { return op_; }

  Op& doc(const char* text) { return done(detail::host->op_doc(op_, text)); }
  // type: a variable ("T") or a type string ("tensor(int64)"). flags: Arg values joined with |.
  Op& input(const char* name, const char* type, uint32_t flags = 0, int min_arity = 1, const char* doc = "") {
    return done(detail::host->op_input(op_, name, type, flags, min_arity, doc));
  }
  Op& output(const char* name, const char* type, uint32_t flags = 0, int min_arity = 1, const char* doc = "") {
    return done(detail::host->op_output(op_, name, type, flags, min_arity, doc));
  }
  Op& types(const char* variable, const Dtypes& dtypes, const char* doc = "") {
    std::vector<std::string> names;
    for (dtype type : dtypes) names.push_back(detail::type_string(type));
    return type_strings(variable, names, doc);
  }
  // Full ONNX type strings: "seq(tensor(float))".
  Op& type_strings(const char* variable, const std::vector<std::string>& names, const char* doc = "") {
    std::vector<const char*> pointers;
    for (const auto& name : names) pointers.push_back(name.c_str());
    return done(detail::host->op_types(op_, variable, pointers.data(), static_cast<int32_t>(pointers.size()), doc));
  }

  // ---- attributes: with a default, required, or optional without default ----
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  Op& attr(const char* name, T otherwise) {
    const int64_t value = static_cast<int64_t>(otherwise);
    og_attr attr = describe(name, OG_ATTR_INT, 1);
    attr.ints = &value;
    return add(attr, 0);
  }
  Op& attr(const char* name, float otherwise) {
    og_attr attr = describe(name, OG_ATTR_FLOAT, 1);
    attr.floats = &otherwise;
    return add(attr, 0);
  }
  Op& attr(const char* name, const char* otherwise) {
    const og_string text{otherwise, std::string_view(otherwise).size()};
    og_attr attr = describe(name, OG_ATTR_STRING, 1);
    attr.strings = &text;
    return add(attr, 0);
  }
  Op& attr(const char* name, const std::vector<int64_t>& otherwise) {
    og_attr attr = describe(name, OG_ATTR_INTS, static_cast<int64_t>(otherwise.size()));
    attr.ints = otherwise.data();
    return add(attr, 0);
  }
  Op& attr(const char* name, const std::vector<float>& otherwise) {
    og_attr attr = describe(name, OG_ATTR_FLOATS, static_cast<int64_t>(otherwise.size()));
    attr.floats = otherwise.data();
    return add(attr, 0);
  }
  Op& attr(const char* name, const std::vector<std::string>& otherwise) {
    std::vector<og_string> texts;
    for (const auto& text : otherwise) texts.push_back({text.data(), text.size()});
    og_attr attr = describe(name, OG_ATTR_STRINGS, static_cast<int64_t>(texts.size()));
    attr.strings = texts.data();
    return add(attr, 0);
  }
  Op& attr(const og_attr& with_default) { return add(with_default, 0); }
  Op& optional_attr(const char* name, og_attr_kind kind) { return add(describe(name, kind, -1), 0); }
  Op& required_attr(const char* name, og_attr_kind kind) { return add(describe(name, kind, -1), OG_ATTR_REQUIRED); }

  // ---- inference, graphs ----
  Op& infer(void (*fn)(Infer&)) {
    return done(detail::host->op_infer(
        op_,
        [](void* user, og_infer* raw) {
          return detail::guard([&] {
            Infer ctx(raw);
            reinterpret_cast<void (*)(Infer&)>(user)(ctx);
          });
        },
        reinterpret_cast<void*>(fn), nullptr));
  }
  // A graph of other operators with the same meaning. fn returns void, or bool: false = not for these types.
  template <class F>
  Op& body(F fn) {
    const auto [call, user] = detail::graph_callback(fn);
    return done(detail::host->op_body(op_, OG_BODY_CONTEXT, call, user, nullptr));
  }
  // As body, but the same for all types and attributes.
  template <class F>
  Op& fixed_body(F fn) {
    const auto [call, user] = detail::graph_callback(fn);
    return done(detail::host->op_body(op_, OG_BODY_FIXED, call, user, nullptr));
  }
  // Geometry: region copies and simpler operators, for back ends without a kernel.
  template <class F>
  Op& lower(F fn) {
    const auto [call, user] = detail::graph_callback(fn);
    return done(detail::host->op_lower(op_, call, user, nullptr));
  }
  // How a foreign operator becomes canonical nodes. versions: "13", "1-12", "13-", "*".
  template <class F>
  Op& import(const char* format, const char* foreign_name, const char* versions, F fn) {
    const auto [call, user] = detail::graph_callback(fn);
    return done(detail::host->op_import(op_, format, foreign_name, versions, call, user, nullptr));
  }
  // An older version of this operator: its signature as it was, and the rule that raises a node of it to this version.
  template <class F>
  Op& version(int since_version, void (*signature)(Op&), F raise) {
    const auto [call, user] = detail::graph_callback(raise);
    og_op* old = detail::host->op_version(op_, since_version, call, user, nullptr);
    if (!old) detail::check(1);
    Op old_op(old);
    signature(old_op);
    return *this;
  }

  // An older version like the next newer one: what `change` gives replaces what has the same name, drop() takes away.
  // Nodes are raised as the newer version's are; without any rule, attributes that the newest lacks are left out.
  Op& earlier(int since_version, void (*change)(Op&) = nullptr) {
    return changed(detail::host->op_earlier(op_, since_version, nullptr, nullptr, nullptr), change);
  }
  // The same with a rule of its own. Rules run before types are known.
  template <class F>
  Op& earlier(int since_version, void (*change)(Op&), F raise) {
    const auto [call, user] = detail::graph_callback(raise);
    return changed(detail::host->op_earlier(op_, since_version, call, user, nullptr), change);
  }
  Op& drop(const char* name) { return done(detail::host->op_drop(op_, name)); }

  // ---- kernels ----
  // Every type the operator allows.
  Op& kernel(const char* backend, void (*fn)(Run&), const KernelOptions& options = {}) {
    return kernel(backend, std::vector<TypeBind>{}, fn, options);
  }
  // One element type of the first input's type variable.
  Op& kernel(const char* backend, dtype type, void (*fn)(Run&), const KernelOptions& options = {}) {
    return kernel(backend, std::vector<TypeBind>{{nullptr, type}}, fn, options);
  }
  Op& kernel(const char* backend, const std::vector<TypeBind>& types, void (*fn)(Run&),
             const KernelOptions& options = {}) {
    og_kernel kernel = base(backend, options);
    kernel.user = reinterpret_cast<void*>(fn);
    kernel.run = &detail::call_run;
    return add(kernel, types);
  }
  // One kernel per C++ type: kernels<float, int32_t>(cpu, [](auto zero, Run& r) { using T = decltype(zero); ... }).
  // The type is that of `variable`, or of the first input.
  template <class... T, class F>
  Op& kernels(const char* backend, F fn, const char* variable = nullptr, const KernelOptions& options = {}) {
    (typed<T>(backend, fn, variable, options), ...);
    return *this;
  }
  // A struct K with `void run(Run&) const` and, where wanted, `void pack(Pack&)`, `[Plan|void] prepare(Prepare&)
  // const`, `static bool supports(Prepare&)`. One object per node and model.
  template <class K>
  Op& kernel(const char* backend, const std::vector<TypeBind>& types, const KernelOptions& options = {}) {
    og_kernel kernel = describe_kernel<K>(backend, options);
    return add(kernel, types);
  }
  template <class K>
  Op& kernel(const char* backend, dtype type, const KernelOptions& options = {}) {
    return kernel<K>(backend, std::vector<TypeBind>{{nullptr, type}}, options);
  }
  template <class K>
  Op& kernel(const char* backend) {
    return kernel<K>(backend, std::vector<TypeBind>{});
  }
  template <class K>
  static og_kernel describe_kernel(const char* backend, const KernelOptions& options = {}) {
    using Calls = detail::KernelCalls<K>;
    og_kernel kernel = base(backend, options);
    kernel.pack = &Calls::pack;
    kernel.free_state = &Calls::free_state;
    if constexpr (detail::HasSupports<K>::value) kernel.supports = &Calls::supports;
    if constexpr (detail::HasPrepare<K>::value) kernel.prepare = &Calls::prepare, kernel.free_plan = &Calls::free_plan;
    kernel.run = &Calls::run;
    return kernel;
  }
  static og_kernel base(const char* backend, const KernelOptions& options) {
    og_kernel kernel{};
    kernel.size = sizeof(kernel);
    kernel.backend = backend;
    kernel.priority = options.priority;
    kernel.flags = options.flags;
    kernel.epilogue = options.epilogue;
    kernel.layouts = options.layouts;
    return kernel;
  }

  // ---- properties ----
  Op& inplace(int input, int output) { return done(detail::host->op_inplace(op_, input, output)); }
  Op& alias(int input, int output) { return done(detail::host->op_alias(op_, input, output)); }
  Op& purity(Purity kind) { return done(detail::host->op_purity(op_, static_cast<int32_t>(kind))); }
  Op& pure() { return purity(Purity::pure); }
  // Floating-point operations of one run, for profiles.
  Op& flops(double (*fn)(Prepare&)) {
    return done(detail::host->op_flops(
        op_,
        [](void* user, og_prepare* raw, double* result) {
          return detail::guard([&] {
            Prepare ctx(raw);
            *result = reinterpret_cast<double (*)(Prepare&)>(user)(ctx);
          });
        },
        reinterpret_cast<void*>(fn), nullptr));
  }
  Op& pointwise(const char* expression) { return done(detail::host->op_pointwise(op_, expression)); }
  // An object of type R per session and node: r.resource<R>().
  template <class R>
  Op& resource() {
    og_resource description{};
    description.size = sizeof(description);
    description.create = [](void*, const og_node* node, void** result) {
      return detail::guard([&] {
        if constexpr (std::is_constructible_v<R, const Node&>)
          *result = new R(Node(node));
        else
          *result = new R();
      });
    };
    description.destroy = [](void* object) { delete static_cast<R*>(object); };
    return done(detail::host->op_resource(op_, &description));
  }

 private:
  Op& changed(og_op* old, void (*change)(Op&)) {
    if (!old) detail::check(1);
    Op old_op(old);
    if (change) change(old_op);
    return *this;
  }
  template <class T, class F>
  void typed(const char* backend, F fn, const char* variable, const KernelOptions& options) {
    og_kernel kernel = base(backend, options);
    kernel.user = reinterpret_cast<void*>(static_cast<void (*)(T, Run&)>(fn));
    kernel.run = &detail::call_run_typed<T>;
    add(kernel, {{variable, dtype_of<T>}});
  }
  Op& add(og_kernel& kernel, const std::vector<TypeBind>& types) {
    std::vector<og_type_bind> binds;
    for (const auto& bind : types) binds.push_back({bind.variable, bind.type});
    kernel.types = binds.data();
    kernel.type_count = static_cast<int32_t>(binds.size());
    return done(detail::host->op_kernel(op_, &kernel));
  }
  static og_attr describe(const char* name, og_attr_kind kind, int64_t count) {
    og_attr attr{};
    attr.size = sizeof(attr);
    attr.kind = kind;
    attr.name = name;
    attr.count = count;
    return attr;
  }
  Op& add(const og_attr& attr, uint32_t flags) { return done(detail::host->op_attr(op_, &attr, flags, "")); }
  Op& done(int32_t status) {
    detail::check(status);
    return *this;
  }
  og_op* op_;
};

// A table that another plug-in or the engine provides; nullptr when nobody does.
template <class Table>
const Table* service(const char* name, int version = 1) {
  return static_cast<const Table*>(detail::host->service_get(name, version));
}

namespace detail {
struct Definition {
  const char* name;
  const char* domain;
  int version;
  void (*define)(Op&);
  Definition* next;
};
struct RegistrarDefinition {
  void (*define)(og_registrar*);
  RegistrarDefinition* next;
};
inline Definition* definitions = nullptr;
inline RegistrarDefinition* registrar_definitions = nullptr;

struct Link {
  Link(Definition& definition) {
    definition.next = definitions;
    definitions = &definition;
  }
  Link(RegistrarDefinition& definition) {
    definition.next = registrar_definitions;
    registrar_definitions = &definition;
  }
};

// The body of every entry point.
inline int32_t enter(const og_host* table, og_registrar* registrar, const char* name, const char* version) {
  host = table;
  if (table->plugin(registrar, name, version, OG_ABI_LEVEL) != 0) return 1;
  const int32_t status = guard([&] {
    for (Definition* d = definitions; d; d = d->next) {
      og_op* op = table->op_begin(registrar, d->domain, d->name, d->version);
      if (!op) check(1);
      Op builder(op);
      d->define(builder);
    }
    for (RegistrarDefinition* d = registrar_definitions; d; d = d->next) d->define(registrar);
  });
  return status;
}
}  // namespace detail

// What a plug-in adds that is not an operator of its own: patterns, kernels for others' operators, services.
class Registrar {
 public:
  explicit Registrar(og_registrar* registrar) : registrar_(registrar) {}
  og_registrar* handle() const { return registrar_; }
  // pattern: "y = Relu(Conv(x, w, b?))"; a trailing ? marks an input that may be absent.
  template <class F>
  void pattern(const char* name, const char* pattern, int priority, F replace) {
    const auto [call, user] = detail::graph_callback(replace);
    detail::check(detail::host->pattern(registrar_, name, pattern, priority, call, user, nullptr));
  }
  template <class K>
  void kernel_for(const char* domain, const char* op_type, const char* backend, const std::vector<TypeBind>& types,
                  const KernelOptions& options = {}) {
    og_kernel kernel = Op::describe_kernel<K>(backend, options);
    std::vector<og_type_bind> binds;
    for (const auto& bind : types) binds.push_back({bind.variable, bind.type});
    kernel.types = binds.data();
    kernel.type_count = static_cast<int32_t>(binds.size());
    detail::check(detail::host->kernel_for(registrar_, domain, op_type, &kernel));
  }
  void provide(const char* name, int version, const void* table) {
    detail::check(detail::host->service_provide(registrar_, name, version, table));
  }

 private:
  og_registrar* registrar_;
};

}  // namespace OG_HIDDEN

// Defines operator `name_` of `domain_` since `version_`; the block that follows fills `op`.
#define OG_OP(name_, domain_, version_)                                                                               \
  static void og_define_##name_(::opgraft::Op& op);                                                                   \
  static ::opgraft::detail::Definition og_definition_##name_{#name_, domain_, version_, &og_define_##name_, nullptr}; \
  static const ::opgraft::detail::Link og_link_##name_{og_definition_##name_};                                        \
  static void og_define_##name_(::opgraft::Op& op)

// The entry point of a plug-in: once per library.
#define OG_PLUGIN(name_, version_)                                                                           \
  extern "C" __attribute__((visibility("default"))) int32_t opgraft_plugin_v1(const og_host* og_table,       \
                                                                              og_registrar* og_registrar_) { \
    return ::opgraft::detail::enter(og_table, og_registrar_, name_, version_);                               \
  }

#endif  // OPGRAFT_OP_H_
