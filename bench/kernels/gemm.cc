// GEMM with the shapes of transformers, classifiers and attention; the right side packed ahead (weights) or not.
#include <array>

#include "fma_peak.h"

namespace opgraft::bench {
namespace {

void run_gemm(benchmark::State& state, bool packed) {
  const auto* table = static_cast<const og_cpu_gemm*>(service(OG_CPU_GEMM));
  og_gemm gemm = og_gemm_init(state.range(0), state.range(1), state.range(2));
  const auto a = floats(static_cast<uint64_t>(gemm.m * gemm.k));
  const auto b = floats(static_cast<uint64_t>(gemm.k * gemm.n));
  const auto c = floats(static_cast<uint64_t>(gemm.m * gemm.n));
  const auto weights = floats(table->packed_b_bytes(&gemm) / sizeof(float));
  if (packed) {
    table->pack_b(&gemm, b.get(), weights.get());
    gemm.flags = OG_GEMM_PACKED_B;
  }
  const auto scratch = floats(table->scratch_bytes(&gemm, 1) / sizeof(float));
  for (auto _ : state)
    table->run(&gemm, a.get(), packed ? weights.get() : b.get(), c.get(), nullptr, scratch.get(), nullptr);
  report(state, 2.0 * static_cast<double>(gemm.m * gemm.n) * static_cast<double>(gemm.k));
}

void gemm_packed(benchmark::State& state) { run_gemm(state, true); }
void gemm_unpacked(benchmark::State& state) { run_gemm(state, false); }

void shapes(benchmark::internal::Benchmark* b) {
  for (const auto& s : {std::array<int64_t, 3>{512, 768, 768},
                        {128, 768, 3072},
                        {128, 3072, 768},
                        {128, 128, 64},
                        {40, 6625, 120},
                        {1, 1000, 2048},
                        {1, 3072, 768},
                        {8, 768, 768}})
    b->Args({s[0], s[1], s[2]});
}

BENCHMARK(gemm_packed)->Apply(shapes);
BENCHMARK(gemm_unpacked)->Apply(shapes);

}  // namespace
}  // namespace opgraft::bench
