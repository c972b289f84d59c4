// Shared by the kernel benches: the measured FMA rate, tables by name, and the counters that every bench prints.
#ifndef OPGRAFT_BENCH_KERNELS_FMA_PEAK_H_
#define OPGRAFT_BENCH_KERNELS_FMA_PEAK_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "opgraft/services.h"

namespace opgraft::bench {

// The level in use (machine or OPGRAFT_CPU); ends the program with a message when there is none.
int level();
// Floating-point operations per second of one thread, registers only.
double fma_peak();
const void* service(const char* name);

// Adds GFLOP/s and its part of the FMA peak to a bench that does `operations` per iteration.
inline void report(benchmark::State& state, double operations) {
  state.counters["GFLOP/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_peak_%"] =
      benchmark::Counter(100.0 * operations / fma_peak(), benchmark::Counter::kIsIterationInvariantRate);
}

struct Free {
  void operator()(float* p) const { std::free(p); }
};
using Floats = std::unique_ptr<float, Free>;

// 64-byte aligned floats with small values that are neither 0 nor denormal.
inline Floats floats(uint64_t count) {
  Floats p(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64)));
  for (uint64_t i = 0; i < count; ++i) p.get()[i] = static_cast<float>(i * 2654435761u % 1024) / 1024.0f - 0.4f;
  return p;
}

}  // namespace opgraft::bench

#endif  // OPGRAFT_BENCH_KERNELS_FMA_PEAK_H_
