// Entry of the CPU back end: hands its service tables (opgraft/services.h) to whoever asks.
#ifndef OPGRAFT_BACKENDS_CPU_CPU_BACKEND_H_
#define OPGRAFT_BACKENDS_CPU_CPU_BACKEND_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Calls `provide` once per service with its name, version and table (static, lives as long as the program).
// level: 0 scalar, 1 AVX2, 2 AVX-512; must not exceed what the machine has.
void opgraft_cpu_register(void (*provide)(void* ctx, const char* name, int32_t version, const void* table), void* ctx,
                          int level);

// The level to use: the machine's best, or what OPGRAFT_CPU=scalar|avx2|avx512 forces. -1 when that is unknown or
// beyond the machine; *error is then a static text that says so.
int opgraft_cpu_detect(const char** error);

#ifdef __cplusplus
}
#endif
#endif  // OPGRAFT_BACKENDS_CPU_CPU_BACKEND_H_
