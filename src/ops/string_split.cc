// StringSplit: the parts of each string between delimiters, and how many there are.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

bool space(char c) { return c == ' ' || (c >= 9 && c <= 13); }

// As Python's str.split: at most `most` cuts (negative = any); an empty delimiter means runs of white space.
std::vector<std::string> split(std::string_view text, std::string_view delimiter, int64_t most) {
  std::vector<std::string> parts;
  const auto may_cut = [&] { return most < 0 || static_cast<int64_t>(parts.size()) < most; };
  if (!delimiter.empty()) {
    if (text.empty()) return parts;
    for (size_t at; may_cut() && (at = text.find(delimiter)) != std::string_view::npos;
         text.remove_prefix(at + delimiter.size()))
      parts.emplace_back(text.substr(0, at));
    parts.emplace_back(text);
    return parts;
  }
  for (;;) {
    while (!text.empty() && space(text.front())) text.remove_prefix(1);
    if (text.empty()) return parts;
    size_t end = 0;
    while (end < text.size() && !space(text[end])) ++end;
    if (!may_cut()) {
      parts.emplace_back(text);
      return parts;
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

OG_OP(StringSplit, "", 20) {
  op.doc("The parts of each string, padded with empty strings to the most there are, and their numbers.")
      .input("X", "T1")
      .output("Y", "T2")
      .output("Z", "T3")
      .optional_attr("delimiter", OG_ATTR_STRING)
      .optional_attr("maxsplit", OG_ATTR_INT)
      .types("T1", {str})
      .types("T2", {str})
      .types("T3", {i64})
      .infer([](Infer& c) {
        if (!c.ranked(0)) {
          c.out(0, str);
          return c.out(1, i64);
        }
        Dims dims = c.dims(0);
        c.out(1, i64, dims);
        dims.push_back(kUnknown);
        c.out(0, str, dims);
      })
      .kernel(cpu,
              [](Run& r) {
                const Tensor x = r.input(0);
                const std::string delimiter = r.get("delimiter", "");
                const int64_t most = r.has_attr("maxsplit") ? r.get("maxsplit", int64_t(-1)) : -1;
                std::vector<std::vector<std::string>> all;
                size_t widest = 0;
                for (int64_t i = 0; i < x.numel(); ++i) {
                  all.push_back(split(r.string(0, i), delimiter, most));
                  widest = std::max(widest, all.back().size());
                }
                int64_t* counts = r.uses_output(1) ? r.output(1, x.shape()).data<int64_t>() : nullptr;
                Dims dims = x.shape();
                dims.push_back(static_cast<int64_t>(widest));
                r.output(0, dims);
                for (size_t i = 0; i < all.size(); ++i) {
                  if (counts) counts[i] = static_cast<int64_t>(all[i].size());
                  for (size_t j = 0; j < all[i].size(); ++j)
                    r.set_string(0, static_cast<int64_t>(i * widest + j), all[i][j]);
                }
              })
      .pure();
}

}  // namespace
