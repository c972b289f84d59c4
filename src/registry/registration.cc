// Running a plug-in's entry, checking what it said, and publishing a new registry snapshot.
#include "registry/registration.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/error.h"
#include "registry/contexts.h"

namespace opgraft {
namespace {

std::mutex publish_mutex;   // one registration at a time
std::mutex snapshot_mutex;  // guards the pointer only
std::shared_ptr<const Registry>& snapshot() {
  static std::shared_ptr<const Registry> registry = std::make_shared<Registry>();
  return registry;
}

std::string where(const og_registrar& registrar) {
  return "plug-in \"" + (registrar.info.name.empty() ? registrar.source.file : registrar.info.name) + "\" (" +
         registrar.source.file + ")";
}

void check_signature(const Signature& signature, const std::string& what) {
  const auto check_args = [&](const std::vector<ArgDef>& args, const char* side) {
    std::set<std::string> names;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!names.insert(args[i].name).second)
        throw Error(ErrorCode::kPlugin, what + ": two " + side + "s are called \"" + args[i].name + "\"");
      if (args[i].variadic() && i + 1 != args.size())
        throw Error(ErrorCode::kPlugin,
                    what + ": only the last " + side + " may be variadic, \"" + args[i].name + "\" is not the last");
      ir::Type type;
      for (const auto& allowed : signature.allowed_types(args[i].type))
        if (!ir::parse_onnx_type(allowed, &type))
          throw Error(ErrorCode::kPlugin,
                      what + ": " + side + " \"" + args[i].name + "\" has type \"" + args[i].type +
                          "\", which is neither a type variable of this operator nor a type such as tensor(float)");
    }
  };
  check_args(signature.inputs, "input");
  check_args(signature.outputs, "output");
  std::set<std::string> names;
  for (const auto& attribute : signature.attributes)
    if (!names.insert(attribute.value.name).second)
      throw Error(ErrorCode::kPlugin, what + ": attribute \"" + attribute.value.name + "\" is defined twice");
}

}  // namespace

std::shared_ptr<const Registry> Registry::current() {
  const std::lock_guard lock(snapshot_mutex);
  return snapshot();
}

void parse_versions(const std::string& text, int* first, int* last) {
  const auto bad = [&] {
    throw Error(ErrorCode::kPlugin,
                "version range \"" + text + "\" is malformed: write \"13\", \"1-12\", \"13-\" or \"*\"");
  };
  *first = 0;
  *last = INT32_MAX;
  if (text == "*") return;
  size_t used = 0;
  try {
    *first = std::stoi(text, &used);
    if (used == text.size()) {
      *last = *first;
      return;
    }
    if (text[used] != '-') bad();
    if (used + 1 == text.size()) return;
    const std::string rest = text.substr(used + 1);
    *last = std::stoi(rest, &used);
    if (used != rest.size() || *last < *first) bad();
  } catch (const std::logic_error&) {
    bad();
  }
}

std::shared_ptr<KernelDef> kernel_from_abi(const og_kernel& kernel, const og_registrar& registrar) {
  if (!kernel.run) throw Error(ErrorCode::kPlugin, "a kernel needs a run function");
  auto result = std::make_shared<KernelDef>();
  result->backend = kernel.backend ? kernel.backend : "cpu";
  result->plugin = registrar.info.name;
  result->priority = kernel.priority ? kernel.priority : registrar.source.default_priority;
  result->flags = kernel.flags;
  for (int i = 0; i < kernel.type_count; ++i) {
    if (!is_dtype(kernel.types[i].dtype))
      throw Error(ErrorCode::kPlugin, "a kernel names an element type that does not exist");
    result->types.emplace_back(kernel.types[i].variable ? kernel.types[i].variable : "",
                               static_cast<dtype>(kernel.types[i].dtype));
  }
  if (kernel.layouts) result->layouts = kernel.layouts;
  if (kernel.epilogue) result->epilogue = kernel.epilogue;
  result->calls = kernel;
  result->calls.types = nullptr;
  result->calls.backend = result->calls.layouts = result->calls.epilogue = nullptr;
  if (kernel.release) result->owner = std::shared_ptr<void>(kernel.user, kernel.release);
  return result;
}

namespace {

template <class T, class Name>
void replace(std::vector<T>& list, const std::vector<T>& changes, Name name) {
  for (const T& change : changes) {
    const auto same =
        std::find_if(list.begin(), list.end(), [&](const T& other) { return name(other) == name(change); });
    if (same != list.end())
      *same = change;
    else
      list.push_back(change);
  }
}

// Versions told by their differences become whole: each begins as the next newer one, whose rule it shares.
void inherit_signatures(OpDef& op, const std::string& what) {
  const auto arg_name = [](const ArgDef& arg) { return arg.name; };
  const auto attribute_name = [](const AttrDef& attribute) { return attribute.value.name; };
  const auto variable_name = [](const TypeConstraint& constraint) { return constraint.variable; };
  for (size_t i = op.old_versions.size(); i-- > 0;) {
    OldVersion& old = op.old_versions[i];
    if (!old.inherits) continue;
    const bool last = i + 1 == op.old_versions.size();
    const Signature changes = std::move(old.signature);
    old.signature = last ? op.signature : op.old_versions[i + 1].signature;
    if (!old.raise && !last) old.raise = op.old_versions[i + 1].raise;
    Signature& whole = old.signature;
    whole.since_version = changes.since_version;
    for (const auto& name : old.drops) {
      size_t dropped = 0;
      const auto drop = [&](auto& list, auto name_of) {
        const auto end =
            std::remove_if(list.begin(), list.end(), [&](const auto& item) { return name_of(item) == name; });
        dropped += static_cast<size_t>(list.end() - end);
        list.erase(end, list.end());
      };
      drop(whole.inputs, arg_name);
      drop(whole.outputs, arg_name);
      drop(whole.attributes, attribute_name);
      drop(whole.constraints, variable_name);
      if (dropped == 0)
        throw Error(ErrorCode::kPlugin, what + ", older version " + std::to_string(whole.since_version) +
                                            ": there is nothing named \"" + name + "\" to drop");
    }
    replace(whole.inputs, changes.inputs, arg_name);
    replace(whole.outputs, changes.outputs, arg_name);
    replace(whole.attributes, changes.attributes, attribute_name);
    replace(whole.constraints, changes.constraints, variable_name);
  }
}

}  // namespace

PluginInfo Registration::publish(og_registrar& registrar) {
  const auto old = Registry::current();
  auto next = std::make_shared<Registry>(*old);
  PluginInfo info = registrar.info;
  info.operator_count = static_cast<int>(registrar.ops.size());
  std::map<OpDef*, std::shared_ptr<const OpDef>> published;
  for (auto& op : registrar.ops) {
    const std::string what = where(registrar) + ": operator " + op->qualified_name() + " (version " +
                             std::to_string(op->signature.since_version) + ")";
    op->plugin = info.name;
    op->plugin_file = info.file;
    check_signature(op->signature, what);
    std::stable_sort(op->old_versions.begin(), op->old_versions.end(), [](const auto& a, const auto& b) {
      return a.signature.since_version < b.signature.since_version;
    });
    inherit_signatures(*op, what);
    for (const auto& old_version : op->old_versions)
      check_signature(old_version.signature,
                      what + ", older version " + std::to_string(old_version.signature.since_version));
    // Without a type variable of its own a kernel's type is that of the first input.
    for (auto& kernel : op->kernels)
      for (auto& [variable, dtype] : const_cast<KernelDef&>(*kernel).types)
        if (variable.empty()) {
          if (op->signature.inputs.empty())
            throw Error(
                ErrorCode::kPlugin,
                what + ": a kernel names an element type, but the operator has no input; name the type variable");
          variable = op->signature.inputs[0].type;
        }
    auto& versions = next->ops_[op_key(op->domain, op->name)];
    const auto same = std::find_if(versions.begin(), versions.end(), [&](const auto& other) {
      return other->signature.since_version == op->signature.since_version;
    });
    if (same != versions.end()) {
      if (!registrar.source.replace || (*same)->plugin_file != info.file)
        throw Error(ErrorCode::kPlugin, what + " is already registered by plug-in \"" + (*same)->plugin + "\" (" +
                                            (*same)->plugin_file +
                                            "). Two definitions of one operator version cannot be loaded together: "
                                            "load one of the two, or give this one another domain or version.");
      *same = op;
    } else {
      versions.push_back(op);
      std::sort(versions.begin(), versions.end(),
                [](const auto& a, const auto& b) { return a->signature.since_version < b->signature.since_version; });
    }
    published[op.get()] = op;
  }
  for (auto& pending : registrar.imports) {
    pending.import.op = published.at(pending.op);
    pending.import.plugin = info.name;
    auto& list = next->imports_[pending.import.format + ":" + pending.import.foreign_name];
    if (registrar.source.replace)
      list.erase(
          std::remove_if(list.begin(), list.end(), [&](const ImportDef& other) { return other.plugin == info.name; }),
          list.end());
    list.push_back(pending.import);
  }
  for (auto& pending : registrar.kernels) {
    for (auto& [variable, dtype] : pending.kernel->types)
      if (variable.empty()) {
        const auto found = next->ops_.find(pending.key);
        variable = found == next->ops_.end() || found->second.back()->signature.inputs.empty()
                       ? "T"
                       : found->second.back()->signature.inputs[0].type;
      }
    next->extra_kernels_[pending.key].push_back(pending.kernel);
  }
  for (auto& pattern : registrar.patterns) next->patterns_.push_back(pattern);
  std::stable_sort(next->patterns_.begin(), next->patterns_.end(),
                   [](const auto& a, const auto& b) { return a.priority > b.priority; });
  for (auto& service : registrar.services) {
    const auto [position, added] = next->services_.emplace(std::make_pair(service.name, service.version), service);
    if (!added && position->second.table != service.table)
      throw Error(ErrorCode::kPlugin, where(registrar) + ": service " + service.name + " version " +
                                          std::to_string(service.version) + " is already provided by plug-in \"" +
                                          position->second.plugin + "\"");
  }
  next->plugins_.erase(std::remove_if(next->plugins_.begin(), next->plugins_.end(),
                                      [&](const PluginInfo& other) {
                                        return registrar.source.replace && other.file == info.file &&
                                               other.name == info.name;
                                      }),
                       next->plugins_.end());
  next->plugins_.push_back(info);
  const std::lock_guard lock(snapshot_mutex);
  snapshot() = next;
  return info;
}

PluginInfo register_plugin(RegisterFn entry, void* user, const PluginSource& source) {
  const std::lock_guard lock(publish_mutex);
  if (!source.replace && source.file != "built-in")
    if (const PluginInfo* known = Registry::current()->find_plugin_file(source.file)) return *known;
  og_registrar registrar;
  registrar.source = source;
  registrar.info.file = source.file;
  take_error();
  if (entry(host_table(), &registrar, user) != 0) {
    const std::string reason = take_error();
    throw Error(ErrorCode::kPlugin, where(registrar) + " was not loaded: " +
                                        (reason.empty() ? "its entry returned an error without a text" : reason));
  }
  if (!registrar.announced)
    throw Error(ErrorCode::kPlugin,
                where(registrar) + " was not loaded: its entry did not announce name, version and ABI level");
  return Registration::publish(registrar);
}

PluginInfo register_plugin(og_entry_fn entry, const PluginSource& source) {
  return register_plugin([](const og_host* host, og_registrar* registrar,
                            void* user) { return reinterpret_cast<og_entry_fn>(user)(host, registrar); },
                         reinterpret_cast<void*>(entry), source);
}

}  // namespace opgraft
