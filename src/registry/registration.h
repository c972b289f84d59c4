// A plug-in's registration in progress: what its entry has said so far, checked and then published as one.
#ifndef OPGRAFT_REGISTRY_REGISTRATION_H_
#define OPGRAFT_REGISTRY_REGISTRATION_H_

#include <memory>
#include <string>
#include <vector>

#include "registry/registry.h"

// Handles of the boundary.
struct og_op {
  opgraft::Signature* signature = nullptr;
  opgraft::OpDef* def = nullptr;  // null for an older version, which has a signature only
  og_registrar* registrar = nullptr;
  opgraft::OldVersion* old = nullptr;  // of a version that is told by its differences
};

struct og_registrar {
  opgraft::PluginSource source;
  opgraft::PluginInfo info;
  bool announced = false;
  std::vector<std::shared_ptr<opgraft::OpDef>> ops;
  std::vector<std::unique_ptr<og_op>> handles;
  struct PendingImport {
    opgraft::ImportDef import;
    opgraft::OpDef* op;
  };
  std::vector<PendingImport> imports;
  std::vector<opgraft::PatternDef> patterns;
  std::vector<opgraft::ServiceDef> services;
  struct PendingKernel {
    std::string key;
    std::shared_ptr<opgraft::KernelDef> kernel;
  };
  std::vector<PendingKernel> kernels;
};

namespace opgraft {

std::string op_key(const std::string& domain, const std::string& name);

struct Registration {
  // Checks a finished registrar and publishes it. Throws Error kPlugin.
  static PluginInfo publish(og_registrar& registrar);
};

// Fills a KernelDef from the boundary's struct.
std::shared_ptr<KernelDef> kernel_from_abi(const og_kernel& kernel, const og_registrar& registrar);
// "13", "1-12", "13-", "*". Throws Error.
void parse_versions(const std::string& text, int* first, int* last);

}  // namespace opgraft
#endif  // OPGRAFT_REGISTRY_REGISTRATION_H_
