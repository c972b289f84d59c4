// StringNormalizer: drops stop words and changes the case of strings. Case changes are those of ASCII, Latin-1 and
// Latin Extended-A, Greek and Cyrillic letters, whatever the locale.
#include <set>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

enum class Change { none, lower, upper };

Change change_of(const Node& node) {
  const std::string name = node.get("case_change_action", "NONE");
  if (name == "NONE") return Change::none;
  if (name == "LOWER") return Change::lower;
  if (name == "UPPER") return Change::upper;
  fail("case_change_action is \"" + name + "\", expected NONE, LOWER or UPPER");
}

// Latin Extended-A: the letters of a pair follow each other, the capital first, at an even or at an odd place.
bool even_capital(unsigned c) {
  return (c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14a && c <= 0x177);
}
bool odd_capital(unsigned c) { return (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e); }

unsigned lower(unsigned c) {
  if (even_capital(c)) return c | 1;
  if (odd_capital(c)) return c + c % 2;
  if (c == 0x178) return 0xff;
  if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) ||
      (c >= 0x410 && c <= 0x42f))
    return c + 32;
  return c >= 0x400 && c <= 0x40f ? c + 80 : c;
}
unsigned upper(unsigned c) {
  if (even_capital(c)) return c & ~1u;
  if (odd_capital(c)) return c - (c % 2 == 0);
  if (c == 0xff) return 0x178;
  if ((c >= 'a' && c <= 'z') || (c >= 0xe0 && c <= 0xfe && c != 0xf7) || (c >= 0x3b1 && c <= 0x3c9 && c != 0x3c2) ||
      (c >= 0x430 && c <= 0x44f))
    return c - 32;
  return c >= 0x450 && c <= 0x45f ? c - 80 : c;
}

std::string changed(std::string_view text, Change change) {
  if (change == Change::none) return std::string(text);
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool two = byte >= 0xc2 && byte < 0xe0 && i + 1 < text.size();
    if (byte >= 0x80 && !two) {
      result += text[i];
      continue;
    }
    unsigned c = two ? (byte & 0x1fu) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu) : byte;
    c = change == Change::lower ? lower(c) : upper(c);
    if (c < 0x80) {
      result += static_cast<char>(c);
    } else {
      result += static_cast<char>(0xc0 | c >> 6);
      result += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return result;
}

OG_OP(StringNormalizer, "", 10) {
  op.doc("The strings of X ([C] or [1, C]) without stop words, in another case; one empty string when none is left.")
      .input("X", "tensor(string)")
      .output("Y", "tensor(string)")
      .attr("case_change_action", "NONE")
      .attr("is_case_sensitive", 0)
      .optional_attr("locale", OG_ATTR_STRING)
      .optional_attr("stopwords", OG_ATTR_STRINGS)
      .infer([](Infer& c) {
        change_of(c);
        if (!c.ranked(0)) return c.out(0, str);
        if (c.ndim(0) != 1 && c.ndim(0) != 2)
          fail("X must be [C] or [1, C], it has " + std::to_string(c.ndim(0)) + " axes");
        if (c.ndim(0) == 2) return c.out(0, str, Dims{1, kUnknown});
        c.out(0, str, Dims{kUnknown});
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                if (x.ndim() == 2 && x.dim(0) != 1) fail("X must be [C] or [1, C], it is " + to_string(x.shape()));
                const bool exact = r.get("is_case_sensitive", 0);
                const Change change = change_of(r);
                std::set<std::string> stops;
                for (const auto& word : r.strings("stopwords"))
                  stops.insert(exact ? word : changed(word, Change::lower));
                std::vector<std::string> kept;
                for (int64_t i = 0; i < x.numel(); ++i) {
                  const std::string_view word = r.string(0, i);
                  if (!stops.count(exact ? std::string(word) : changed(word, Change::lower)))
                    kept.push_back(changed(word, change));
                }
                if (kept.empty()) kept.emplace_back();
                const auto count = static_cast<int64_t>(kept.size());
                r.output(0, x.ndim() == 2 ? Dims{1, count} : Dims{count});
                for (int64_t i = 0; i < count; ++i) r.set_string(0, i, kept[static_cast<size_t>(i)]);
              })
      .pure();
}

}  // namespace
