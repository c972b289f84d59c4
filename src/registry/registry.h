// The registry: a chain of immutable snapshots of all operators, import rules, patterns, services and plug-ins.
//
// Readers take the current snapshot and keep it; adding a plug-in publishes a new one (all or nothing).
#ifndef OPGRAFT_REGISTRY_REGISTRY_H_
#define OPGRAFT_REGISTRY_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/op_def.h"

namespace opgraft {

class Registry {
 public:
  // The snapshot in force. Thread-safe.
  static std::shared_ptr<const Registry> current();

  // The operator of the newest since_version <= version; version 0 = the newest. Null when there is none.
  const OpDef* find(const std::string& domain, const std::string& name, int version = 0) const;
  // All versions, ascending by since_version; null when the name is unknown.
  const std::vector<std::shared_ptr<const OpDef>>* find_all(const std::string& domain, const std::string& name) const;
  const ImportDef* find_import(const std::string& format, const std::string& foreign_name, int version) const;
  const void* service(const std::string& name, int version) const;
  // Kernels of an operator, those of other plug-ins included; best first by priority, then plug-in name.
  std::vector<const KernelDef*> kernels(const OpDef& op, const std::string& backend) const;
  const std::vector<PatternDef>& patterns() const { return patterns_; }  // best first
  const std::vector<PluginInfo>& plugins() const { return plugins_; }
  const PluginInfo* find_plugin_file(const std::string& file) const;
  std::vector<const OpDef*> operators() const;
  std::vector<const ImportDef*> imports() const;

  // Everything helpful to say of an unknown operator: near misses by name, other domains, other versions.
  std::vector<std::string> near_misses(const std::string& domain, const std::string& name, int version) const;

 private:
  friend struct Registration;
  std::unordered_map<std::string, std::vector<std::shared_ptr<const OpDef>>> ops_;  // "domain::name"
  std::unordered_map<std::string, std::vector<ImportDef>> imports_;                 // "format:name"
  std::unordered_map<std::string, std::vector<std::shared_ptr<const KernelDef>>> extra_kernels_;
  std::map<std::pair<std::string, int>, ServiceDef> services_;
  std::vector<PatternDef> patterns_;
  std::vector<PluginInfo> plugins_;
};

// How a plug-in arrives: what the loader knows of it before its entry runs.
struct PluginSource {
  std::string file;            // "built-in" or a path
  int default_priority = 300;  // band of its kernels
  bool replace = false;        // redefinition by the same plug-in is allowed (interactive Python)
};

// Runs a plug-in's entry against a fresh registrar and publishes the result. On any failure nothing changes and Error
// kPlugin says why. The same definitions from the same file again are a no-op. Serialised by a lock that is not held
// while a snapshot is read.
PluginInfo register_plugin(og_entry_fn entry, const PluginSource& source);

// Pieces for callers that build a registration without an entry function (the Python decorator).
using RegisterFn = int32_t (*)(const og_host* host, og_registrar* registrar, void* user);
PluginInfo register_plugin(RegisterFn entry, void* user, const PluginSource& source);

// A short distance between names for near misses: edit distance, case-insensitive, capped.
int name_distance(const std::string& a, const std::string& b);

}  // namespace opgraft
#endif  // OPGRAFT_REGISTRY_REGISTRY_H_
