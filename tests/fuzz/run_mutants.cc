// Feeds mutants of seed models to the engine: each must give an error or a result, in 5 seconds and 2 GiB.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "tests/fuzz/consume.h"
#include "tests/fuzz/mutator.h"

namespace opgraft::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Time of the processor, so that a busy machine makes no failures; what waits for ever is caught by the clock.
constexpr double kCancelSeconds = 1;
constexpr double kLimitSeconds = 5;
constexpr auto kWaitLimit = std::chrono::seconds(120);
constexpr long kMemoryLimit = 2l << 20;  // KiB

struct Seed {
  std::string name;
  size_t size = 0;
  std::vector<Field> fields;
};

// What is being worked on, for the last words.
struct Current {
  char text[512] = "";
  std::shared_ptr<const std::string> bytes;
  std::string save_to;
} current;

// Only calls that are safe in a signal handler.
void say_last_words(const char* reason) {
  const auto put = [](const char* text) { (void)!write(2, text, std::strlen(text)); };
  put("\n");
  put(reason);
  put(" with ");
  put(current.text);
  put("\n");
  if (!current.bytes) return;
  const int file = open(current.save_to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  (void)!write(file, current.bytes->data(), current.bytes->size());
  close(file);
  put("It is saved as ");
  put(current.save_to.c_str());
  put("\n");
}

extern "C" void on_signal(int number) {
  say_last_words("CRASH");
  std::signal(number, SIG_DFL);
  std::raise(number);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Cancels a mutant that takes long, and ends the process when that does not help.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    started_ = Clock::now();
    started_seconds_ = processor_seconds();
    running_ = true;
    cancel_ = false;
  }
  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_ = false;
  }
  const std::atomic<bool>* cancel() const { return &cancel_; }

 private:
  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stop_) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      if (!running_) continue;
      const double taken = processor_seconds() - started_seconds_;
      if (taken > kCancelSeconds) cancel_ = true;
      if (taken > kLimitSeconds || Clock::now() - started_ > kWaitLimit) {
        std::signal(SIGABRT, SIG_DFL);
        say_last_words("TOO SLOW (over 5 seconds of the processor)");
        std::abort();
      }
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point started_;
  double started_seconds_ = 0;
  bool running_ = false;
  bool stop_ = false;
  std::atomic<bool> cancel_{false};
  std::thread thread_;
};

std::vector<Seed> load_seeds(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Seed> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    seeds.push_back({std::filesystem::path(file).filename().string(), bytes.size(), parse(bytes)});
  }
  std::stable_sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.size > b.size; });
  return seeds;
}

struct Options {
  uint64_t count = 20000;
  uint64_t first = 0;
  uint64_t seed = 1;
  bool verbose = false;
  std::string save_to = "mutant.onnx";
  std::vector<std::string> paths;
};

int usage() {
  std::fprintf(stderr,
               "run_mutants [--count N] [--first I] [--seed S] [--save FILE] [--verbose] SEED_FILE_OR_FOLDER...\n"
               "A failure names the mutant as I; repeat it alone with --first I --count 1.\n");
  return 2;
}

bool parse_options(int count, char** arguments, Options* options) {
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const bool has_value = i + 1 < count;
    if (word == "--verbose")
      options->verbose = true;
    else if (word == "--count" && has_value)
      options->count = std::strtoull(arguments[++i], nullptr, 10);
    else if (word == "--first" && has_value)
      options->first = std::strtoull(arguments[++i], nullptr, 10);
    else if (word == "--seed" && has_value)
      options->seed = std::strtoull(arguments[++i], nullptr, 10);
    else if (word == "--save" && has_value)
      options->save_to = arguments[++i];
    else if (word.rfind("--", 0) == 0)
      return false;
    else
      options->paths.push_back(word);
  }
  return !options->paths.empty();
}

int run(const Options& options) {
  const std::vector<Seed> seeds = load_seeds(options.paths);
  if (seeds.empty()) {
    std::fprintf(stderr, "there are no seed models\n");
    return 2;
  }
  current.save_to = options.save_to;
  Watchdog watchdog;
  uint64_t results = 0;
  double slowest = 0;
  std::map<std::string, uint64_t> errors;
  static const char* const kStages[] = {"read", "load", "run"};
  const auto start = Clock::now();
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    Random random(options.seed * 1000003 + i);
    // Small seeds twice as often: they are quick, and rich in constructs.
    const size_t one = random.below(seeds.size()), other = random.below(seeds.size());
    const Seed& seed = seeds[std::max(one, other)];
    current.bytes = std::make_shared<const std::string>(mutate(seed.fields, random));
    std::snprintf(current.text, sizeof(current.text), "mutant %llu of seed %s (%zu bytes, --seed %llu)",
                  static_cast<unsigned long long>(i), seed.name.c_str(), current.bytes->size(),
                  static_cast<unsigned long long>(options.seed));
    const double began = processor_seconds();
    watchdog.begin();
    try {
      const Outcome outcome = consume(current.bytes, watchdog.cancel());
      results += outcome.result;
      if (!outcome.result)
        ++errors[std::string(kStages[static_cast<int>(outcome.stage)]) + ": " + error_code_name(outcome.code)];
      if (options.verbose) std::printf("%s: %s\n", current.text, outcome.result ? "result" : outcome.text.c_str());
    } catch (const std::exception& error) {
      say_last_words(error.what());
      return 1;
    }
    watchdog.end();
    slowest = std::max(slowest, processor_seconds() - began);
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > kMemoryLimit) {
      say_last_words("TOO MUCH MEMORY (over 2 GiB)");
      return 1;
    }
  }
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  uint64_t failed = 0;
  for (const auto& [kind, number] : errors) failed += number;
  std::printf("%llu mutants of %zu seeds: %llu results, %llu errors; %.1f s, slowest %.2f s, at most %ld MiB\n",
              static_cast<unsigned long long>(options.count), seeds.size(), static_cast<unsigned long long>(results),
              static_cast<unsigned long long>(failed), std::chrono::duration<double>(Clock::now() - start).count(),
              slowest, usage.ru_maxrss / 1024);
  for (const auto& [kind, number] : errors)
    std::printf("  %s: %llu\n", kind.c_str(), static_cast<unsigned long long>(number));
  return 0;
}

}  // namespace
}  // namespace opgraft::fuzz

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
// Many small allocations: short stacks and a small quarantine make the run several times faster. What malloc cannot
// give is an error to the engine.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=6:quarantine_size_mb=32:allocator_may_return_null=1";
}
// Undefined behaviour ends in a signal, since its run-time library does not call the address sanitizer's callback.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
#endif

int main(int count, char** arguments) {
  opgraft::fuzz::Options options;
  if (!opgraft::fuzz::parse_options(count, arguments, &options)) return opgraft::fuzz::usage();
  std::signal(SIGABRT, opgraft::fuzz::on_signal);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback([] { opgraft::fuzz::say_last_words("CRASH"); });
#else
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, opgraft::fuzz::on_signal);
#endif
  return opgraft::fuzz::run(options);
}
