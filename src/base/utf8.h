// Checks of UTF-8 text from outside.
#ifndef OPGRAFT_BASE_UTF8_H_
#define OPGRAFT_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace opgraft {

// Length of the sequence at the front, 0 when there is none. `text` is not empty.
size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);
// What is not UTF-8 becomes U+FFFD.
std::string to_utf8(std::string_view text);

}  // namespace opgraft
#endif  // OPGRAFT_BASE_UTF8_H_
