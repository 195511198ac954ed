// SPDX-License-Identifier: Apache-2.0
// Foreign text line by line: every complaint names the file and the line, says what was expected and shows what was
// found.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace adasample {

inline constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text);

// Foreign text as a message can show it: short, printable, in quotes.
std::string shown(std::string_view text);

// Text for a terminal or a log: control characters, marks that turn the direction of writing or cannot be seen, and what
// is no UTF-8 are spelled out (\u001b, \xff), so that no name of a file can act on the screen. JSON stays JSON.
std::string printable(std::string_view text, bool keep_lines);

// A message: printable, one line, and of no more than kLongestMessage bytes; what is longer loses its middle.
inline constexpr size_t kLongestMessage = 480;
std::string message_line(std::string_view text);

// Foreign text as JSON and HTML need it: what is not UTF-8 becomes U+FFFD.
std::string as_utf8(std::string_view text);

// The whole of `text` as a number; false when it is none, has something behind it, is out of range or is not finite.
template <typename T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  if (text.size() > 1 && text[0] == '+') text.remove_prefix(1);
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return false;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
  return true;
}

class TextReader {
 public:
  // `text` must outlive the reader. `module` is the tag of its messages, `file` the name they give.
  TextReader(std::string_view text, std::string module, std::string file);

  // Goes to the next line; false behind the last one. Blank lines at the very end are no lines.
  bool next();
  int64_t line_number() const { return line_number_; }  // the first is 1
  std::string_view line() const { return line_; }       // trimmed

  // The parts of the line between blanks, or between `separator`, trimmed. Valid until the next call of next().
  const std::vector<std::string_view>& fields();
  const std::vector<std::string_view>& fields(char separator);

  // Field `index` of the last fields() call as a number; `what` names it in the message ("a patch number").
  template <typename T>
  T number(size_t index, std::string_view what) const {
    T value{};
    if (index >= fields_.size()) fail(what, "the line ends before it");
    if (!parse_number(fields_[index], value)) fail(what, shown(fields_[index]));
    return value;
  }

  // Throws Error "[module] file:line: expected .., found ..".
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  std::string_view rest_, line_;
  std::string module_, file_;
  int64_t line_number_ = 0;
  std::vector<std::string_view> fields_;
};

}  // namespace adasample
