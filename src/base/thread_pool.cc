// The thread pool.
#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>

namespace opgraft {
namespace {

// About 20 to 40 microseconds; longer spins hurt machines that are shared, shorter ones cost a wake-up per loop.
constexpr int kSpins = 2000;
constexpr int kChunksPerThread = 4;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

int available_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(int threads) {
  for (int32_t worker = 1; worker < threads; ++worker) workers_.emplace_back([this, worker] { work(worker); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  epoch_.fetch_add(1);
  epoch_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run_chunks(uint32_t epoch, int32_t worker) {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  for (;;) {
    if (static_cast<uint32_t>(ticket >> 32) != epoch) return;
    const auto index = static_cast<int64_t>(ticket & 0xffffffffu);
    if (index >= chunks_.load(std::memory_order_relaxed)) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    const int64_t begin = index * chunk_;
    body_(user_, begin, std::min(n_, begin + chunk_), worker);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_all();
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void ThreadPool::work(int32_t worker) {
  uint32_t seen = 0;
  for (;;) {
    uint32_t epoch = epoch_.load(std::memory_order_acquire);
    for (int spin = 0; epoch == seen && spin < kSpins; ++spin) {
      pause();
      epoch = epoch_.load(std::memory_order_acquire);
    }
    while (epoch == seen) {
      epoch_.wait(seen, std::memory_order_acquire);
      epoch = epoch_.load(std::memory_order_acquire);
    }
    seen = epoch;
    if (stop_.load()) return;
    run_chunks(epoch, worker);
  }
}

void ThreadPool::parallel_for(int64_t n, int64_t grain, Body body, void* user) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  std::unique_lock lock(busy_, std::defer_lock);
  if (workers_.empty() || n <= grain || !lock.try_lock()) return body(user, 0, n, 0);
  const int64_t wanted = std::min<int64_t>((n + grain - 1) / grain, static_cast<int64_t>(threads()) * kChunksPerThread);
  chunk_ = (n + wanted - 1) / wanted;
  const int64_t count = (n + chunk_ - 1) / chunk_;
  n_ = n;
  body_ = body;
  user_ = user;
  chunks_.store(count, std::memory_order_relaxed);
  pending_.store(count, std::memory_order_relaxed);
  const uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
  ticket_.store(static_cast<uint64_t>(epoch) << 32, std::memory_order_release);
  epoch_.store(epoch, std::memory_order_release);
  epoch_.notify_all();
  run_chunks(epoch, 0);
  int64_t left = pending_.load(std::memory_order_acquire);
  for (int spin = 0; left != 0 && spin < kSpins; ++spin) {
    pause();
    left = pending_.load(std::memory_order_acquire);
  }
  while (left != 0) {
    pending_.wait(left, std::memory_order_acquire);
    left = pending_.load(std::memory_order_acquire);
  }
}

}  // namespace opgraft
