// Equations of Einsum: letters, the ellipsis, implicit outputs, and the sizes of axes that share a letter.
#ifndef OPGRAFT_EINSUM_H_
#define OPGRAFT_EINSUM_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "opgraft/context.h"

namespace opgraft OG_HIDDEN {
namespace einsum {

using Labels = std::vector<int>;  // 0-51: the letters in ASCII order; from 52 on: axes of the ellipsis
inline constexpr int kLetters = 52, kEllipsis = -1;

struct Equation {
  std::vector<Labels> operands;
  Labels output;
};

inline bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

inline int label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  return kEllipsis;
}
inline std::string name_of(int label) {
  if (label >= kLetters) return "axis " + std::to_string(label - kLetters) + " of the ellipsis";
  return std::string(1, static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26));
}

inline Labels parse_term(const std::string& text, const std::string& equation) {
  Labels term;
  for (size_t i = 0; i < text.size(); ++i) {
    const int label = label_of(text[i]);
    if (label != kEllipsis) {
      term.push_back(label);
      continue;
    }
    if (text.compare(i, 3, "...") != 0)
      fail("equation \"" + equation + "\" has the character '" + text[i] +
           "'; terms are made of letters and at most one ellipsis \"...\"");
    if (contains(term, kEllipsis)) fail("a term of equation \"" + equation + "\" has more than one ellipsis");
    term.push_back(kEllipsis);
    i += 2;
  }
  return term;
}

// The ellipsis still stands as one label.
inline Equation parse(const Node& node, int operand_count) {
  const std::string given = node.get("equation", "");
  std::string text;
  for (const char c : given)
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  Equation equation;
  for (size_t begin = 0; begin <= left.size();) {
    const size_t comma = std::min(left.find(',', begin), left.size());
    equation.operands.push_back(parse_term(left.substr(begin, comma - begin), given));
    begin = comma + 1;
  }
  if (static_cast<int>(equation.operands.size()) != operand_count)
    fail("equation \"" + given + "\" has " + std::to_string(equation.operands.size()) + " terms for " +
         std::to_string(operand_count) + " inputs");
  std::vector<int> times(kLetters, 0);
  bool ellipsis = false;
  for (const Labels& term : equation.operands)
    for (const int label : term) label == kEllipsis ? void(ellipsis = true) : void(++times[static_cast<size_t>(label)]);
  if (arrow == std::string::npos) {
    if (ellipsis) equation.output.push_back(kEllipsis);
    for (int label = 0; label < kLetters; ++label)
      if (times[static_cast<size_t>(label)] == 1) equation.output.push_back(label);
    return equation;
  }
  equation.output = parse_term(text.substr(arrow + 2), given);
  Labels seen;
  for (const int label : equation.output) {
    if (label == kEllipsis) continue;
    if (times[static_cast<size_t>(label)] == 0)
      fail("equation \"" + given + "\" has " + name_of(label) + " in its output, but in no term before \"->\"");
    if (contains(seen, label)) fail("equation \"" + given + "\" has " + name_of(label) + " twice in its output");
    seen.push_back(label);
  }
  return equation;
}

// Puts labels for the axes of the ellipsis; those of operands count from the last. ranks: -1 = unknown. Returns false
// when the rank of the output cannot be told.
inline bool resolve(Equation& equation, const std::vector<int>& ranks) {
  int most = 0;
  bool known = true;
  std::vector<int> widths(ranks.size(), 0);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Labels& term = equation.operands[i];
    const bool ellipsis = contains(term, kEllipsis);
    if (ranks[i] < 0) {
      known = known && !ellipsis;
      continue;
    }
    const int letters = static_cast<int>(term.size()) - (ellipsis ? 1 : 0);
    if (ellipsis ? ranks[i] < letters : ranks[i] != letters)
      fail("input " + std::to_string(i) + " has rank " + std::to_string(ranks[i]) + ", its term in the equation has " +
           std::to_string(letters) + " letters" + (ellipsis ? " beside the ellipsis" : ""));
    widths[i] = ranks[i] - letters;
    most = std::max(most, widths[i]);
  }
  const auto spread = [most](Labels& term, int width) {
    const auto at = std::find(term.begin(), term.end(), kEllipsis);
    if (at == term.end()) return;
    Labels axes;
    for (int i = most - width; i < most; ++i) axes.push_back(kLetters + i);
    term.insert(term.erase(at), axes.begin(), axes.end());
  };
  const bool in_output = contains(equation.output, kEllipsis);
  if (most > 0 && !in_output)
    fail("the ellipsis of the equation stands for " + std::to_string(most) + " axes; the output needs it too");
  for (size_t i = 0; i < ranks.size(); ++i) spread(equation.operands[i], widths[i]);
  spread(equation.output, most);
  return known || !in_output;
}

// Dims of all labels, numbers and symbols; a dim of 1 fits any other. 0 axes: unknown.
class Sizes {
 public:
  void add(const Labels& term, const Dims& dims, int input) {
    std::vector<std::pair<int, int64_t>> own;
    for (size_t i = 0; i < term.size(); ++i) {
      const auto same = std::find_if(own.begin(), own.end(), [&](const auto& entry) { return entry.first == term[i]; });
      if (same == own.end()) {
        own.emplace_back(term[i], dims[i]);
        continue;
      }
      if (is_known(same->second) && is_known(dims[i]) && same->second != dims[i])
        fail("input " + std::to_string(input) + " repeats " + name_of(term[i]) + " for axes of sizes " +
             std::to_string(same->second) + " and " + std::to_string(dims[i]));
      if (is_symbol(same->second)) same->second = dims[i];
    }
    for (const auto& [label, dim] : own) merge(label, dim, input);
  }
  int64_t operator[](int label) const {
    const auto at = static_cast<size_t>(label);
    return at < dims_.size() && seen_[at] ? dims_[at] : kUnknown;
  }

 private:
  void merge(int label, int64_t dim, int input) {
    const auto at = static_cast<size_t>(label);
    if (at >= dims_.size()) dims_.resize(at + 1, 1), seen_.resize(at + 1, 0);
    int64_t& size = dims_[at];
    if (!seen_[at] || size == 1) {
      size = dim;
    } else if (dim != size && dim != 1) {
      if (is_symbol(size) && is_symbol(dim))
        size = kUnknown;
      else if (is_symbol(size))
        size = dim;
      else if (is_known(dim))
        fail("input " + std::to_string(input) + " has size " + std::to_string(dim) + " for " + name_of(label) +
             ", another input has " + std::to_string(size));
    }
    seen_[at] = 1;
  }
  Dims dims_;
  std::vector<char> seen_;
};

}  // namespace einsum
}  // namespace OG_HIDDEN
#endif  // OPGRAFT_EINSUM_H_
