// Shared by the tests of the CPU services: levels of this machine, tables, aligned buffers, random data, threads,
// comparison.
#ifndef OPGRAFT_TESTS_BACKENDS_CPU_CPU_TEST_H_
#define OPGRAFT_TESTS_BACKENDS_CPU_CPU_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "opgraft/services.h"

namespace opgraft::cpu_test {

struct Services {
  const og_cpu_gemm* gemm = nullptr;
  const og_cpu_conv* conv = nullptr;
  const og_cpu_pool* pool = nullptr;
  const og_cpu_math* math = nullptr;
};

inline Services services(int level) {
  Services s;
  opgraft_cpu_register(
      [](void* ctx, const char* name, int32_t version, const void* table) {
        auto* out = static_cast<Services*>(ctx);
        EXPECT_EQ(version, 1);
        const std::string text = name;
        if (text == OG_CPU_GEMM) out->gemm = static_cast<const og_cpu_gemm*>(table);
        if (text == OG_CPU_CONV) out->conv = static_cast<const og_cpu_conv*>(table);
        if (text == OG_CPU_POOL) out->pool = static_cast<const og_cpu_pool*>(table);
        if (text == OG_CPU_MATH) out->math = static_cast<const og_cpu_math*>(table);
      },
      &s, level);
  return s;
}

// Every level up to the best of this machine, or up to the one that OPGRAFT_CPU forces.
inline std::vector<int> levels() {
  const int best = opgraft_cpu_detect(nullptr);
  std::vector<int> all;
  for (int level = 0; level <= best; ++level) all.push_back(level);
  return all;
}

inline std::string level_name(const ::testing::TestParamInfo<int>& info) {
  const char* names[] = {"scalar", "avx2", "avx512"};
  return names[info.param];
}

// A 64-byte aligned buffer of exactly `bytes`, filled with NaN, with guard bytes behind it.
class Buffer {
 public:
  explicit Buffer(uint64_t bytes) : bytes_(bytes) {
    const uint64_t size = (bytes + kGuard + 63) / 64 * 64;
    data_.reset(static_cast<unsigned char*>(std::aligned_alloc(64, size)));
    std::memset(data_.get(), 0xFF, size);
  }
  ~Buffer() {
    for (uint64_t i = 0; i < kGuard; ++i) {
      if (data_.get()[bytes_ + i] != 0xFF) {
        ADD_FAILURE() << "byte " << i << " behind a buffer of " << bytes_ << " bytes was written";
        break;
      }
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* get() { return data_.get(); }

 private:
  static constexpr uint64_t kGuard = 256;
  struct Free {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  uint64_t bytes_;
  std::unique_ptr<unsigned char, Free> data_;
};

inline std::vector<float> random_floats(int64_t count, uint32_t seed, float low = -1.0f, float high = 1.0f) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& v : out) v = values(engine);
  return out;
}

// Real threads, started for every loop; chunks are taken from a counter.
class Threads {
 public:
  explicit Threads(int32_t count) {
    table_.size = sizeof table_;
    table_.threads = count;
    table_.ctx = this;
    table_.parallel_for = &Threads::run;
  }
  const og_parallel* get() const { return &table_; }

 private:
  static void run(void* ctx, int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t, int32_t), void* user) {
    const int32_t count = static_cast<Threads*>(ctx)->table_.threads;
    std::atomic<int64_t> next{0};
    std::vector<std::thread> threads;
    for (int32_t worker = 0; worker < count; ++worker)
      threads.emplace_back([&, worker] {
        for (int64_t begin; (begin = next.fetch_add(grain)) < n;) body(user, begin, std::min(n, begin + grain), worker);
      });
    for (std::thread& t : threads) t.join();
  }
  og_parallel table_{};
};

inline double apply_activation(int32_t activation, double a, double b, double x) {
  const auto clip = [](double v, double low, double high) { return v < low ? low : v > high ? high : v; };
  switch (activation) {
    case OG_ACT_RELU:
      return x < 0 ? 0 : x;
    case OG_ACT_CLIP:
      return clip(x, a, b);
    case OG_ACT_SIGMOID:
      return 1 / (1 + std::exp(-x));
    case OG_ACT_SILU:
      return x / (1 + std::exp(-x));
    case OG_ACT_HARD_SWISH:
      return x * clip(x / 6 + 0.5, 0, 1);
    case OG_ACT_HARD_SIGMOID:
      return clip(a * x + b, 0, 1);
    case OG_ACT_TANH:
      return std::tanh(x);
    case OG_ACT_GELU_ERF:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case OG_ACT_GELU_TANH:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case OG_ACT_LEAKY_RELU:
      return x < 0 ? a * x : x;
    default:
      return x;
  }
}

// The bound of the design: max |y - y64| <= 1e-5 of max |y64|.
inline void expect_close(const std::vector<float>& got, const std::vector<double>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double range = 0;
  for (double v : want) range = std::max(range, std::fabs(v));
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(got[i] - want[i]);
    if (!(error <= worst)) {
      worst = error;
      where = i;
    }
    if (std::isnan(error)) break;
  }
  EXPECT_LE(worst, 1e-5 * std::max(range, 1e-3))
      << what << ": element " << where << " of " << got.size() << " is " << (got.empty() ? 0 : got[where]) << ", not "
      << (want.empty() ? 0 : want[where]);
}

}  // namespace opgraft::cpu_test

#endif  // OPGRAFT_TESTS_BACKENDS_CPU_CPU_TEST_H_
