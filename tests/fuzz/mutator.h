// Makes broken variants of protobuf files that keep their structure: nested messages are changed, lengths repaired.
#ifndef OPGRAFT_TESTS_FUZZ_MUTATOR_H_
#define OPGRAFT_TESTS_FUZZ_MUTATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opgraft::fuzz {

// The same numbers for the same seed on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  // Below `bound`, which must not be 0.
  uint64_t below(uint64_t bound) { return next() % bound; }
  bool one_in(uint64_t count) { return below(count) == 0; }

 private:
  uint64_t state_;
};

// A field of a message, with what is nested in it.
struct Field {
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t value = 0;         // numbers
  std::string bytes;          // bytes that are not a message
  std::vector<Field> fields;  // of a nested message
  bool is_message = false;
};

// The fields of a message. Bytes that read as a message from end to end are taken for one.
std::vector<Field> parse(std::string_view bytes);
std::string serialize(const std::vector<Field>& fields);

// One of many variants, decided by `random` alone.
std::string mutate(const std::vector<Field>& seed, Random& random);

}  // namespace opgraft::fuzz
#endif  // OPGRAFT_TESTS_FUZZ_MUTATOR_H_
