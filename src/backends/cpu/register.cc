// Registration of the CPU services and the choice of the instruction set.
#include <cstdlib>
#include <cstring>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernels.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace {

#if defined(__x86_64__) || defined(__i386__)
// __builtin_cpu_supports of clang 14 does not know it.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

int machine_level() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!avx2) return 0;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? 2 : 1;
#else
  return 0;
#endif
}

}  // namespace

extern "C" {

void opgraft_cpu_register(void (*provide)(void* ctx, const char* name, int32_t version, const void* table), void* ctx,
                          int level) {
  using namespace opgraft::cpu;
  level = level < 0 ? 0 : level > 2 ? 2 : level;
  provide(ctx, OG_CPU_GEMM, 1, &gemm_table(level));
  provide(ctx, OG_CPU_CONV, 1, &conv_table(level));
  provide(ctx, OG_CPU_POOL, 1, &pool_table(level));
  provide(ctx, OG_CPU_MATH, 1, &math_table(level));
}

int opgraft_cpu_detect(const char** error) {
  const int machine = machine_level();
  const char* forced = std::getenv("OPGRAFT_CPU");
  if (forced == nullptr || forced[0] == '\0') return machine;
  int level = -1;
  if (std::strcmp(forced, "scalar") == 0) level = 0;
  if (std::strcmp(forced, "avx2") == 0) level = 1;
  if (std::strcmp(forced, "avx512") == 0) level = 2;
  const char* text = level < 0 ? "OPGRAFT_CPU names no level; write scalar, avx2 or avx512"
                               : "OPGRAFT_CPU asks for more than this machine has; unset it or choose a lower level";
  if (level >= 0 && level <= machine) return level;
  if (error != nullptr) *error = text;
  return -1;
}

}  // extern "C"
