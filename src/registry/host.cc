// The host table: the slots of abi_slots.inc bound to the registry and to the contexts of passes and executor.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"
#include "registry/contexts.h"
#include "registry/registration.h"

namespace opgraft {
namespace {

thread_local std::string last_error;

// Runs a slot's work; what it throws becomes the thread's error text.
template <class F>
int32_t guarded(F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::bad_alloc&) {
    set_error("out of memory");
  } catch (const std::exception& error) {
    set_error(error.what());
  } catch (...) {
    set_error("unknown failure");
  }
  return 1;
}

template <class F>
int32_t answered(F&& body) noexcept {
  int32_t answer = 0;
  if (guarded([&] { answer = body() ? 1 : 0; }) != 0) return 0;
  return answer;
}

OpDef& definition(og_op* op, const char* what) {
  if (!op->def)
    throw Error(ErrorCode::kPlugin, std::string("an older version of an operator has a signature only; ") + what +
                                        " belongs to the operator itself");
  return *op->def;
}

og_op* add_version(og_op* op, Signature signature, Callback<og_graph_fn> raise) {
  OpDef& def = definition(op, "version");
  // Handles point into old_versions: room for all, so that none moves.
  if (def.old_versions.capacity() == 0) def.old_versions.reserve(32);
  if (def.old_versions.size() == def.old_versions.capacity())
    throw Error(ErrorCode::kPlugin, "more than 32 older versions of one operator");
  def.old_versions.push_back({std::move(signature), std::move(raise)});
  op->registrar->handles.push_back(
      std::make_unique<og_op>(og_op{&def.old_versions.back().signature, nullptr, op->registrar}));
  return op->registrar->handles.back().get();
}

// What a host of this version does not know of a longer kernel struct is ignored; a shorter one is completed with
// zeros.
og_kernel complete(const og_kernel* kernel) {
  og_kernel result{};
  std::memcpy(&result, kernel, kernel->size < sizeof(result) ? kernel->size : sizeof(result));
  return result;
}

ArgDef make_arg(const char* name, const char* type, uint32_t flags, int32_t min_arity, const char* doc) {
  ArgDef arg;
  arg.name = name;
  arg.type = type;
  arg.flags = flags;
  arg.min_arity = min_arity;
  if (doc) arg.doc = doc;
  return arg;
}

int detect_level() {
  int machine = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  // F16C is older than AVX2 and on every processor that has it; clang 14 cannot ask for it.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) machine = 1;
  if (machine == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    machine = 2;
#endif
  const char* forced = std::getenv("OPGRAFT_CPU");
  if (!forced || !*forced) return machine;
  const char* names[] = {"scalar", "avx2", "avx512"};
  for (int level = 0; level < 3; ++level)
    if (std::strcmp(forced, names[level]) == 0) {
      if (level > machine)
        throw Error(ErrorCode::kUnsupported, std::string("OPGRAFT_CPU=") + forced + ": this machine reaches only " +
                                                 names[machine] + "; unset the variable or choose a lower level");
      return level;
    }
  throw Error(ErrorCode::kInvalidArgument,
              std::string("OPGRAFT_CPU=") + forced + " is not a level; write scalar, avx2 or avx512");
}

struct Table : og_host {
  Table() {
    std::memset(static_cast<og_host*>(this), 0, sizeof(og_host));
    size = sizeof(og_host);
    major = OG_ABI_MAJOR;
    level = OG_ABI_LEVEL;
    opset = OG_ABI_OPSET;
    bind_registration();
    bind_definition();
    bind_nodes();
    bind_graphs();
    bind_run();
  }

  void bind_registration() {
    og_host::set_error = [](const char* text) { opgraft::set_error(text ? text : ""); };
    og_host::log = [](int32_t severity, const char* text) {
      std::fprintf(stderr, "opgraft: %s%s\n", severity >= OG_LOG_WARNING ? "warning: " : "", text ? text : "");
    };
    og_host::cpu_level = [] {
      int32_t level = 0;
      guarded([&] { level = opgraft::cpu_level(); });
      return level;
    };
    og_host::plugin = [](og_registrar* registrar, const char* name, const char* version, uint32_t level) {
      return guarded([&] {
        registrar->info.name = name ? name : "";
        registrar->info.version = version ? version : "";
        registrar->info.abi_level = level;
        if (level > OG_ABI_LEVEL)
          throw Error(ErrorCode::kPlugin, "it needs ABI level " + std::to_string(level) +
                                              ", this engine offers level " + std::to_string(OG_ABI_LEVEL) +
                                              "; install a newer opgraft, or build the plug-in with an older SDK");
        if (registrar->info.name.empty()) throw Error(ErrorCode::kPlugin, "it has no name");
        registrar->announced = true;
      });
    };
    og_host::service_provide = [](og_registrar* registrar, const char* name, int32_t version, const void* table) {
      return guarded([&] { registrar->services.push_back({name, version, table, registrar->info.name}); });
    };
    og_host::service_get = [](const char* name, int32_t version) -> const void* {
      const void* table = nullptr;
      guarded([&] { table = Registry::current()->service(name, version); });
      return table;
    };
    og_host::op_begin = [](og_registrar* registrar, const char* domain, const char* name,
                           int32_t since_version) -> og_op* {
      og_op* handle = nullptr;
      guarded([&] {
        if (!registrar->announced)
          throw Error(ErrorCode::kPlugin, "its entry must announce the plug-in before it defines operators");
        if (!name || !*name || since_version < 1)
          throw Error(ErrorCode::kPlugin, "an operator needs a name and a version of at least 1");
        auto op = std::make_shared<OpDef>();
        op->domain = domain && std::strcmp(domain, "ai.onnx") != 0 ? domain : "";
        if (op->domain.empty() && registrar->source.file != "built-in")
          throw Error(ErrorCode::kPlugin, std::string("operator ") + name +
                                              " claims the standard domain, which belongs to ONNX; give it a domain of "
                                              "your own (kernel_for brings a better kernel for a standard operator)");
        op->name = name;
        op->signature.since_version = since_version;
        registrar->ops.push_back(op);
        registrar->handles.push_back(std::make_unique<og_op>(og_op{&op->signature, op.get(), registrar}));
        handle = registrar->handles.back().get();
      });
      return handle;
    };
    og_host::pattern = [](og_registrar* registrar, const char* name, const char* text, int32_t priority,
                          og_graph_fn replace, void* user, og_release_fn release) {
      return guarded([&] {
        registrar->patterns.push_back(
            {name, text, priority, registrar->info.name, make_callback(replace, user, release)});
      });
    };
    og_host::kernel_for = [](og_registrar* registrar, const char* domain, const char* name, const og_kernel* kernel) {
      return guarded([&] {
        registrar->kernels.push_back({op_key(domain, name), kernel_from_abi(complete(kernel), *registrar)});
      });
    };
  }

  void bind_definition() {
    og_host::op_doc = [](og_op* op, const char* text) {
      return guarded([&] { op->signature->doc = text ? text : ""; });
    };
    og_host::op_input = [](og_op* op, const char* name, const char* type, uint32_t flags, int32_t min_arity,
                           const char* doc) {
      return guarded([&] { op->signature->inputs.push_back(make_arg(name, type, flags, min_arity, doc)); });
    };
    og_host::op_output = [](og_op* op, const char* name, const char* type, uint32_t flags, int32_t min_arity,
                            const char* doc) {
      return guarded([&] { op->signature->outputs.push_back(make_arg(name, type, flags, min_arity, doc)); });
    };
    og_host::op_attr = [](og_op* op, const og_attr* value, uint32_t flags, const char* doc) {
      return guarded([&] {
        AttrDef attribute;
        attribute.value = attribute_from_abi(*value);
        attribute.has_default = value->count >= 0;
        attribute.required = flags & OG_ATTR_REQUIRED;
        if (doc) attribute.doc = doc;
        op->signature->attributes.push_back(std::move(attribute));
      });
    };
    og_host::op_types = [](og_op* op, const char* variable, const char* const* types, int32_t count, const char* doc) {
      return guarded([&] { op->signature->constraints.push_back({variable, {types, types + count}, doc ? doc : ""}); });
    };
    og_host::op_infer = [](og_op* op, og_infer_fn fn, void* user, og_release_fn release) {
      return guarded([&] { definition(op, "infer").infer = make_callback(fn, user, release); });
    };
    og_host::op_body = [](og_op* op, int32_t kind, og_graph_fn fn, void* user, og_release_fn release) {
      return guarded([&] {
        definition(op, "body").body = make_callback(fn, user, release);
        op->def->body_fixed = kind == OG_BODY_FIXED;
      });
    };
    og_host::op_lower = [](og_op* op, og_graph_fn fn, void* user, og_release_fn release) {
      return guarded([&] { definition(op, "lower").lower = make_callback(fn, user, release); });
    };
    og_host::op_kernel = [](og_op* op, const og_kernel* kernel) {
      return guarded(
          [&] { definition(op, "kernel").kernels.push_back(kernel_from_abi(complete(kernel), *op->registrar)); });
    };
    og_host::op_import = [](og_op* op, const char* format, const char* name, const char* versions, og_graph_fn fn,
                            void* user, og_release_fn release) {
      return guarded([&] {
        definition(op, "import");
        ImportDef import;
        import.format = format;
        import.foreign_name = name;
        parse_versions(versions, &import.first_version, &import.last_version);
        import.rule = make_callback(fn, user, release);
        op->registrar->imports.push_back({std::move(import), op->def});
      });
    };
    og_host::op_version = [](og_op* op, int32_t since_version, og_graph_fn raise, void* user,
                             og_release_fn release) -> og_op* {
      og_op* handle = nullptr;
      guarded([&] {
        Signature signature;
        signature.since_version = since_version;
        handle = add_version(op, std::move(signature), make_callback(raise, user, release));
      });
      return handle;
    };
    og_host::op_earlier = [](og_op* op, int32_t since_version, og_graph_fn raise, void* user,
                             og_release_fn release) -> og_op* {
      og_op* handle = nullptr;
      guarded([&] {
        Signature changes;
        changes.since_version = since_version;
        handle = add_version(op, std::move(changes), make_callback(raise, user, release));
        handle->old = &definition(op, "earlier").old_versions.back();
        handle->old->inherits = true;
      });
      return handle;
    };
    og_host::op_drop = [](og_op* op, const char* name) {
      return guarded([&] {
        if (!op->old) throw Error(ErrorCode::kPlugin, "only an earlier version can drop what a newer one has");
        op->old->drops.emplace_back(name);
      });
    };
    og_host::op_inplace = [](og_op* op, int32_t input, int32_t output) {
      return guarded([&] { definition(op, "inplace").inplace.emplace_back(input, output); });
    };
    og_host::op_alias = [](og_op* op, int32_t input, int32_t output) {
      return guarded([&] { definition(op, "alias").alias.emplace_back(input, output); });
    };
    og_host::op_purity = [](og_op* op, int32_t purity) {
      return guarded([&] { definition(op, "purity").purity = purity; });
    };
    og_host::op_flops = [](og_op* op, og_flops_fn fn, void* user, og_release_fn release) {
      return guarded([&] { definition(op, "flops").flops = make_callback(fn, user, release); });
    };
    og_host::op_pointwise = [](og_op* op, const char* expression) {
      return guarded([&] { definition(op, "pointwise").pointwise = expression; });
    };
    og_host::op_resource = [](og_op* op, const og_resource* resource) {
      return guarded([&] {
        definition(op, "resource").resource = *resource;
        op->def->has_resource = true;
      });
    };
  }

  void bind_nodes() {
    og_host::node_info = [](const og_node* node, og_node_info* info) {
      og_node_info full{};
      full.size = sizeof(full);
      full.version = node->version;
      full.name = node->name.c_str();
      full.op_type = node->op_type.c_str();
      full.domain = node->domain.c_str();
      full.input_count = node->input_count;
      full.output_count = node->output_count;
      full.attr_count = node->given_count;
      const uint32_t wanted = info->size < sizeof(full) ? info->size : static_cast<uint32_t>(sizeof(full));
      full.size = wanted;
      std::memcpy(info, &full, wanted);
    };
    og_host::node_attr = [](const og_node* node, const char* name, og_attr* out) -> int32_t {
      for (const og_attr& attribute : node->attributes)
        if (std::strcmp(attribute.name, name) == 0) {
          *out = attribute;
          return 1;
        }
      return 0;
    };
    og_host::node_attr_at = [](const og_node* node, int32_t index, og_attr* out) -> int32_t {
      if (index < 0 || index >= node->given_count) return 0;
      *out = node->attributes[static_cast<size_t>(index)];
      return 1;
    };
    og_host::infer_node = [](og_infer* ctx) { return ctx->node(); };
    og_host::infer_input_type = [](og_infer* ctx, int32_t index, og_type* out) {
      return answered([&] { return ctx->input_type(index, out); });
    };
    og_host::infer_input_value = [](og_infer* ctx, int32_t index, og_value* out) {
      return answered([&] { return ctx->input_value(index, out); });
    };
    og_host::infer_input_integers = [](og_infer* ctx, int32_t index, const int64_t** values, int64_t* count,
                                       int32_t* ndim) {
      return answered([&] { return ctx->input_integers(index, values, count, ndim); });
    };
    og_host::infer_output = [](og_infer* ctx, int32_t index, const og_type* type) {
      return guarded([&] { ctx->set_output(index, *type); });
    };
    og_host::infer_output_integers = [](og_infer* ctx, int32_t index, const int64_t* values, int64_t count,
                                        int32_t ndim) {
      return guarded([&] { ctx->set_output_integers(index, values, count, ndim); });
    };
    og_host::infer_dim = [](og_infer* ctx, int32_t operation, int64_t a, int64_t b) {
      int64_t result = OG_UNKNOWN;
      guarded([&] { result = ctx->combine(operation, a, b); });
      return result;
    };
    og_host::infer_subgraph = [](og_infer* ctx, const char* attr, const og_type* inputs, int32_t input_count,
                                 og_type* outputs, int32_t output_count) {
      return guarded([&] { ctx->subgraph(attr, inputs, input_count, outputs, output_count); });
    };
  }

  void bind_graphs() {
    og_host::graph_node = [](og_graph* graph) { return graph->node(); };
    og_host::graph_input_type = [](og_graph* graph, int32_t index, og_type* out) {
      return answered([&] { return graph->input_type(index, out); });
    };
    og_host::graph_input_value = [](og_graph* graph, int32_t index, og_value* out) {
      return answered([&] { return graph->input_value(index, out); });
    };
    og_host::graph_has_output = [](og_graph* graph, int32_t index) {
      return answered([&] { return graph->has_output(index); });
    };
    og_host::graph_opset = [](og_graph* graph, const char* domain, int32_t version) {
      return guarded([&] { graph->set_opset(domain, version); });
    };
    og_host::graph_add = [](og_graph* graph, const char* domain, const char* op_type, const char* const* inputs,
                            int32_t input_count, const char* const* outputs, int32_t output_count) {
      og_new_node* node = nullptr;
      guarded([&] { node = graph->add(domain, op_type, inputs, input_count, outputs, output_count); });
      return node;
    };
    og_host::graph_attr = [](og_new_node* node, const og_attr* attr) {
      return guarded([&] { node->attr(attribute_from_abi(*attr)); });
    };
    og_host::graph_attr_from = [](og_new_node* node, const char* source, const char* name) {
      return guarded([&] { node->attr_from(source, name); });
    };
    og_host::graph_constant = [](og_graph* graph, const char* name, const og_value* value) {
      return guarded([&] { graph->constant(name, tensor_from_abi(*value)); });
    };
    og_host::pack_node = [](og_pack* ctx) { return ctx->node(); };
    og_host::pack_input = [](og_pack* ctx, int32_t index, og_value* out) {
      return answered([&] { return ctx->input(index, out); });
    };
    og_host::pack_buffer = [](og_pack* ctx, uint64_t bytes) {
      void* memory = nullptr;
      guarded([&] { memory = ctx->buffer(bytes); });
      return memory;
    };
    og_host::prepare_node = [](og_prepare* ctx) { return ctx->node(); };
    og_host::prepare_input = [](og_prepare* ctx, int32_t index, og_value* out) {
      return answered([&] { return ctx->input(index, out); });
    };
    og_host::prepare_output = [](og_prepare* ctx, int32_t index, og_value* out) {
      return answered([&] { return ctx->output(index, out); });
    };
    og_host::prepare_state = [](og_prepare* ctx) { return ctx->state(); };
    og_host::prepare_threads = [](og_prepare* ctx) { return static_cast<int32_t>(ctx->threads()); };
    og_host::prepare_scratch = [](og_prepare* ctx, uint64_t bytes) { return guarded([&] { ctx->scratch(bytes); }); };
  }

  static RunEngine& engine(og_run* run) { return *static_cast<RunEngine*>(run->engine); }

  void bind_run() {
    og_host::run_output = [](og_run* run, int32_t index, const int64_t* dims, int32_t ndim) {
      og_value* value = nullptr;
      guarded([&] { value = engine(run).output(run, index, dims, ndim); });
      return value;
    };
    og_host::run_adopt = [](og_run* run, int32_t index, const og_value* value, og_release_fn release, void* user) {
      return guarded([&] { engine(run).adopt(run, index, *value, release, user); });
    };
    og_host::run_forward = [](og_run* run, int32_t index, const og_value* value) {
      return guarded([&] { engine(run).forward(run, index, *value); });
    };
    og_host::run_subgraph = [](og_run* run, const char* attr, const og_value* inputs, int32_t input_count,
                               og_value* outputs, int32_t output_count) {
      return guarded([&] { engine(run).subgraph(run, attr, inputs, input_count, outputs, output_count); });
    };
    og_host::run_release = [](og_run* run, og_value* value) { guarded([&] { engine(run).release(run, value); }); };
    og_host::value_count = [](const og_value* value) -> int64_t {
      if (!value->handle) return 0;
      if (value->kind == OG_STRINGS)
        return static_cast<int64_t>(static_cast<const std::vector<std::string>*>(value->handle)->size());
      if (value->kind == OG_SEQUENCE || value->kind == OG_OPTIONAL || value->kind == OG_MAP)
        return static_cast<int64_t>(static_cast<const SequenceObject*>(value->handle)->items.size());
      return 0;
    };
    og_host::value_at = [](const og_value* value, int64_t index, og_value* out) {
      return guarded([&] {
        const auto* sequence = value->kind == OG_SEQUENCE || value->kind == OG_OPTIONAL || value->kind == OG_MAP
                                   ? static_cast<const SequenceObject*>(value->handle)
                                   : nullptr;
        if (!sequence || index < 0 || index >= static_cast<int64_t>(sequence->items.size()))
          throw Error(ErrorCode::kPlugin, "no element " + std::to_string(index) + " in this value");
        *out = sequence->items[static_cast<size_t>(index)];
      });
    };
    og_host::value_string = [](const og_value* value, int64_t index, og_string* out) {
      return guarded([&] {
        const auto* strings =
            value->kind == OG_STRINGS ? static_cast<const std::vector<std::string>*>(value->handle) : nullptr;
        if (!strings || index < 0 || index >= static_cast<int64_t>(strings->size()))
          throw Error(ErrorCode::kPlugin, "no string " + std::to_string(index) + " in this value");
        const std::string& text = (*strings)[static_cast<size_t>(index)];
        *out = {text.data(), text.size()};
      });
    };
    og_host::run_append_map = [](og_run* run, int32_t index, const og_value* keys, const og_value* values) {
      return guarded([&] {
        if (keys->kind != OG_STRINGS && (keys->kind != OG_TENSOR || keys->tensor.ndim != 1))
          throw Error(ErrorCode::kPlugin, "keys of a map must be a tensor of rank 1");
        SequenceObject pair;
        pair.items = {*keys, *values};
        og_value map{};
        map.size = sizeof(map);
        map.kind = OG_MAP;
        map.dtype = keys->dtype;
        map.handle = &pair;
        engine(run).append(run, index, map);
      });
    };
    og_host::run_append = [](og_run* run, int32_t index, const og_value* value) {
      return guarded([&] { engine(run).append(run, index, *value); });
    };
    og_host::run_set_string = [](og_run* run, int32_t output, int64_t index, const char* data, uint64_t length) {
      return guarded([&] { engine(run).set_string(run, output, index, data, length); });
    };
    og_host::run_cancelled = [](og_run* run) { return answered([&] { return engine(run).cancelled(); }); };
    og_host::run_scope = [](og_run* run, const char* name) { guarded([&] { engine(run).scope(run, name); }); };
  }
};

}  // namespace

const og_host* host_table() {
  static const Table table;
  return &table;
}

void set_error(const std::string& text) { last_error = text; }

std::string take_error() {
  std::string text;
  text.swap(last_error);
  return text;
}

int cpu_level() {
  static const int level = detect_level();
  return level;
}

}  // namespace opgraft
