// Parser of patterns.
#include "passes/pattern.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace opgraft::passes {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  ParsedPattern parse() {
    ParsedPattern result;
    for (;;) {
      const std::string name = word("a name");
      expect('=');
      auto call = term();
      if (!call->is_call()) fail("an operator call after '='");
      call->label = name;
      if (assigned_.count(name)) fail("a name that is not assigned yet, \"" + name + "\" is");
      assigned_[name] = call;
      result.root = call;
      result.output = name;
      if (peek() != ';') break;
      ++at_;
    }
    if (peek() != '\0') fail("the end");
    result.inputs = inputs_;
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error(ErrorCode::kPlugin,
                "pattern \"" + text_ + "\": expected " + wanted + " at character " + std::to_string(at_));
  }
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("'") + c + "'");
    ++at_;
  }
  std::string word(const char* wanted) {
    peek();
    const size_t begin = at_;
    while (at_ < text_.size() && (isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == ':'))
      ++at_;
    if (begin == at_) fail(wanted);
    return text_.substr(begin, at_ - begin);
  }
  std::shared_ptr<PatternTerm> term() {
    if (++depth_ > 64) fail("at most 64 nested calls");
    const std::string name = word("an operator or a name");
    auto result = std::make_shared<PatternTerm>();
    result->label = name;
    if (peek() == '(') {
      ++at_;
      const size_t colon = name.find("::");
      result->domain = colon == std::string::npos ? "" : name.substr(0, colon);
      result->op_type = colon == std::string::npos ? name : name.substr(colon + 2);
      while (peek() != ')') {
        result->arguments.push_back(term());
        if (peek() == ',')
          ++at_;
        else if (peek() != ')')
          fail("',' or ')'");
      }
      ++at_;
    } else {
      if (peek() == '?') {
        ++at_;
        result->may_be_absent = true;
      }
      const auto known = assigned_.find(name);
      if (known != assigned_.end())
        result = known->second;
      else if (std::find(inputs_.begin(), inputs_.end(), name) == inputs_.end())
        inputs_.push_back(name);
    }
    --depth_;
    return result;
  }

  const std::string& text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::map<std::string, std::shared_ptr<PatternTerm>> assigned_;
  std::vector<std::string> inputs_;
};

}  // namespace

ParsedPattern parse_pattern(const std::string& text) { return Parser(text).parse(); }

}  // namespace opgraft::passes
