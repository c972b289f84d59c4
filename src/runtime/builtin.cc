// The operators that ship with the engine, registered through the same door as any plug-in.
#include <mutex>

#include "backends/cpu/cpu_backend.h"
#include "opgraft/op.h"
#include "registry/registry.h"
#include "runtime/session.h"

namespace opgraft {
namespace {

constexpr int kBuiltinPriority = 100;

int32_t enter_cpu(const og_host* host, og_registrar* registrar) {
  if (host->plugin(registrar, "opgraft.cpu", "0.1", OG_ABI_LEVEL) != 0) return 1;
  struct Context {
    const og_host* host;
    og_registrar* registrar;
    int32_t status;
  } context{host, registrar, 0};
  opgraft_cpu_register(
      [](void* user, const char* name, int32_t version, const void* table) {
        auto* c = static_cast<Context*>(user);
        c->status |= c->host->service_provide(c->registrar, name, version, table);
      },
      &context, host->cpu_level());
  return context.status;
}

int32_t enter_operators(const og_host* host, og_registrar* registrar) {
  return detail::enter(host, registrar, "opgraft.ops", "0.1");
}

}  // namespace

void register_builtins() {
  static std::once_flag once;
  std::call_once(once, [] {
    const PluginSource source{"built-in", kBuiltinPriority, false};
    register_plugin(&enter_cpu, source);
    register_plugin(&enter_operators, source);
  });
}

}  // namespace opgraft
