// libFuzzer target: any bytes as an ONNX model, varied as bytes and as nested messages.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/consume.h"
#include "tests/fuzz/mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  opgraft::fuzz::consume(bytes, nullptr);
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
