// Patterns in text form: "c = Conv(x, w, b?); y = Relu(c)" or nested, "y = Relu(Conv(x, w, b?))".
#ifndef OPGRAFT_PASSES_PATTERN_H_
#define OPGRAFT_PASSES_PATTERN_H_

#include <memory>
#include <string>
#include <vector>

namespace opgraft::passes {

// A call of an operator, or a variable.
struct PatternTerm {
  std::string label;    // variable name, or the name assigned to a call (its operator's name when none is)
  std::string domain;   // of a call
  std::string op_type;  // empty for a variable
  bool may_be_absent = false;
  std::vector<std::shared_ptr<PatternTerm>> arguments;

  bool is_call() const { return !op_type.empty(); }
};

struct ParsedPattern {
  std::shared_ptr<PatternTerm> root;
  std::vector<std::string> inputs;  // free variables in order of appearance
  std::string output;
};

// Throws Error kPlugin for text that is not a pattern.
ParsedPattern parse_pattern(const std::string& text);

}  // namespace opgraft::passes
#endif  // OPGRAFT_PASSES_PATTERN_H_
