// Measures the FMA rate of one thread at every level, and hands out the services of the level in use.
#include "backends/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "../bench/kernels/fma_peak.cc"  // from src/
#include "hwy/foreach_target.h"
// Behind foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opgraft::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Floating-point operations of one call.
HWY_ATTR double spin_fma() {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int kSums = 12;
  constexpr int kRounds = 20000;
  V sum[kSums];
  for (int i = 0; i < kSums; ++i) sum[i] = hn::Zero(d);
  V a = hn::Set(d, 1.0f);
  V b = hn::Set(d, 0.5f);
  for (int r = 0; r < kRounds; ++r) {
    // Hides the values from the optimiser, which would otherwise do the sums once.
    asm volatile("" : "+x"(a.raw), "+x"(b.raw));
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sum[i] = hn::MulAdd(a, b, sum[i]);
  }
  for (int i = 1; i < kSums; ++i) sum[0] = hn::Add(sum[0], sum[i]);
  volatile float sink = hn::GetLane(sum[0]);
  (void)sink;
  return 2.0 * kSums * kRounds * static_cast<double>(hn::Lanes(d));
}

using Spin = double (*)();
Spin get_spin() { return &spin_fma; }

}  // namespace HWY_NAMESPACE
}  // namespace opgraft::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <chrono>
#include <cstdio>
#include <cstring>

#include "backends/cpu/cpu_backend.h"
#include "fma_peak.h"

namespace opgraft::bench {
namespace {

double (*spin_of(int level))() { OG_CPU_PICK(get_spin, level); }

double measure() {
  double (*spin)() = spin_of(level());
  double best = 0;
  for (int i = 0; i < 50; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const double operations = spin();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (operations / seconds.count() > best) best = operations / seconds.count();
  }
  return best;
}

}  // namespace

int level() {
  const char* error = nullptr;
  const int found = opgraft_cpu_detect(&error);
  if (found < 0) {
    std::fprintf(stderr, "%s\n", error);
    std::exit(2);
  }
  return found;
}

double fma_peak() {
  static const double peak = measure();
  return peak;
}

const void* service(const char* name) {
  struct Query {
    const char* name;
    const void* table;
  } query{name, nullptr};
  opgraft_cpu_register(
      [](void* ctx, const char* given, int32_t, const void* table) {
        auto* q = static_cast<Query*>(ctx);
        if (std::strcmp(given, q->name) == 0) q->table = table;
      },
      &query, level());
  return query.table;
}

}  // namespace opgraft::bench
#endif
