// Look-ups in a registry snapshot.
#include "registry/registry.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "registry/registration.h"

namespace opgraft {

std::string op_key(const std::string& domain, const std::string& name) { return domain + "::" + name; }

const std::vector<std::shared_ptr<const OpDef>>* Registry::find_all(const std::string& domain,
                                                                    const std::string& name) const {
  const auto found = ops_.find(op_key(domain, name));
  return found == ops_.end() ? nullptr : &found->second;
}

const OpDef* Registry::find(const std::string& domain, const std::string& name, int version) const {
  const auto* all = find_all(domain, name);
  if (!all) return nullptr;
  if (version == 0) return all->back().get();
  for (auto op = all->rbegin(); op != all->rend(); ++op) {
    int first = (*op)->signature.since_version;
    for (const auto& old : (*op)->old_versions) first = std::min(first, old.signature.since_version);
    // Standard operators import one to one from versions before the oldest declared signature.
    if (first <= version || (domain.empty() && op + 1 == all->rend())) return op->get();
  }
  return nullptr;
}

const ImportDef* Registry::find_import(const std::string& format, const std::string& foreign_name, int version) const {
  const auto found = imports_.find(format + ":" + foreign_name);
  if (found == imports_.end()) return nullptr;
  for (const auto& import : found->second)
    if (version >= import.first_version && version <= import.last_version) return &import;
  return nullptr;
}

const void* Registry::service(const std::string& name, int version) const {
  const auto found = services_.find({name, version});
  return found == services_.end() ? nullptr : found->second.table;
}

std::vector<const KernelDef*> Registry::kernels(const OpDef& op, const std::string& backend) const {
  std::vector<const KernelDef*> result;
  for (const auto& kernel : op.kernels)
    if (kernel->backend == backend) result.push_back(kernel.get());
  const auto extra = extra_kernels_.find(op_key(op.domain, op.name));
  if (extra != extra_kernels_.end())
    for (const auto& kernel : extra->second)
      if (kernel->backend == backend) result.push_back(kernel.get());
  std::stable_sort(result.begin(), result.end(), [](const KernelDef* a, const KernelDef* b) {
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->types.size() != b->types.size()) return a->types.size() > b->types.size();
    return a->plugin < b->plugin;
  });
  return result;
}

const PluginInfo* Registry::find_plugin_file(const std::string& file) const {
  for (const auto& plugin : plugins_)
    if (plugin.file == file) return &plugin;
  return nullptr;
}

std::vector<const OpDef*> Registry::operators() const {
  std::vector<const OpDef*> result;
  for (const auto& [key, versions] : ops_)
    for (const auto& op : versions) result.push_back(op.get());
  std::sort(result.begin(), result.end(), [](const OpDef* a, const OpDef* b) {
    return std::tie(a->domain, a->name, a->signature.since_version) <
           std::tie(b->domain, b->name, b->signature.since_version);
  });
  return result;
}

std::vector<const ImportDef*> Registry::imports() const {
  std::vector<const ImportDef*> result;
  for (const auto& [key, list] : imports_)
    for (const auto& import : list) result.push_back(&import);
  return result;
}

int name_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); };
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

std::vector<std::string> Registry::near_misses(const std::string& domain, const std::string& name, int version) const {
  std::vector<std::string> result;
  const auto shown = [](const std::string& d) {
    return d.empty() ? std::string("the standard domain") : "domain \"" + d + "\"";
  };
  if (const auto* all = find_all(domain, name)) {
    std::string versions;
    for (const auto& op : *all) {
      for (const auto& old : op->old_versions)
        versions += (versions.empty() ? "" : ", ") + std::to_string(old.signature.since_version);
      versions += (versions.empty() ? "" : ", ") + std::to_string(op->signature.since_version);
    }
    result.push_back(name + " is registered in " + shown(domain) + " since version " + versions +
                     ", the model asks for version " + std::to_string(version));
    return result;
  }
  const int allowed = name.size() <= 4 ? 1 : 2;
  std::vector<std::pair<int, std::string>> ranked;
  for (const OpDef* op : operators()) {
    const int distance = name_distance(op->name, name);
    if (op->name == name)
      ranked.push_back({0, "the same name is registered in " + shown(op->domain)});
    else if (distance <= allowed)
      ranked.push_back({distance + (op->domain != domain), "did you mean " + op->qualified_name() + "?"});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [rank, text] : ranked)
    if (result.size() < 3 && std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
  return result;
}

}  // namespace opgraft
