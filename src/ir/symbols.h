// Symbolic dimensions: named symbols and expressions over them, interned so that equal expressions are equal numbers.
#ifndef OPGRAFT_IR_SYMBOLS_H_
#define OPGRAFT_IR_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace opgraft::ir {

class Symbols {
 public:
  Symbols();
  // The symbol of this name ("batch"); the same name gives the same symbol.
  int64_t named(const std::string& name);
  // A symbol that equals no other.
  int64_t fresh();
  // operation: OG_DIM_*. Numbers are computed; trivial identities are simplified.
  int64_t combine(int32_t operation, int64_t a, int64_t b);
  // "N", "(H + 1)", "?" for unknown.
  std::string text(int64_t dim) const;

 private:
  int64_t intern(std::string text);
  std::vector<std::string> texts_;
  std::map<std::string, int64_t> index_;
  int64_t fresh_count_ = 0;
};

// The same for numbers alone: unknown when either is a symbol.
int64_t combine_numbers(int32_t operation, int64_t a, int64_t b);

}  // namespace opgraft::ir
#endif  // OPGRAFT_IR_SYMBOLS_H_
