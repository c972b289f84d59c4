// libFuzzer target: any bytes as an ONNX model, varied as bytes and as nested messages.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

#include "tests/fuzz/consume.h"
#include "tests/fuzz/mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

// A loop may be asked to run for ever: after a second the run is cancelled, as a user would.
std::atomic<int64_t> input_number{0};
std::atomic<bool> cancel{false};

void cancel_long_runs() {
  for (int64_t seen = -1;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const int64_t now = input_number.load();
    if (now == seen) cancel = true;
    seen = now;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool started = [] {
    std::thread(&cancel_long_runs).detach();
    return true;
  }();
  ++input_number;
  cancel = false;
  const auto bytes = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  opgraft::fuzz::consume(bytes, &cancel);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  opgraft::fuzz::Random random(seed);
  if (random.one_in(3)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string mutant = opgraft::fuzz::mutate(opgraft::fuzz::parse(bytes), random);
  if (mutant.empty() || mutant.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
