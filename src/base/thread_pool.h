// One pool of worker threads: short spin, then block; a loop at a time; a busy pool runs the loop on the caller alone.
#ifndef OPGRAFT_BASE_THREAD_POOL_H_
#define OPGRAFT_BASE_THREAD_POOL_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace opgraft {

class ThreadPool {
 public:
  using Body = void (*)(void* user, int64_t begin, int64_t end, int32_t worker);

  // `threads` counts the caller: threads - 1 workers are started.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Runs body over [0, n) in chunks of at least `grain`. Safe to call from many threads at once.
  void parallel_for(int64_t n, int64_t grain, Body body, void* user);

 private:
  void work(int32_t worker);
  void run_chunks(uint32_t epoch, int32_t worker);

  std::vector<std::thread> workers_;
  std::mutex busy_;
  // High half: epoch of the loop; low half: next chunk. A worker that comes late finds another epoch and claims
  // nothing.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<int64_t> pending_{0};
  std::atomic<uint32_t> epoch_{0};
  std::atomic<bool> stop_{false};
  Body body_ = nullptr;
  void* user_ = nullptr;
  int64_t n_ = 0;
  int64_t chunk_ = 1;
  std::atomic<int64_t> chunks_{0};
};

// Processors this process may use.
int available_processors();

}  // namespace opgraft
#endif  // OPGRAFT_BASE_THREAD_POOL_H_
