// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + result + (text.size() > 40 ? "...'" : "'");
}

namespace {

// The letter that begins `text`, and how many bytes it takes; 0 bytes where that is no UTF-8.
std::pair<uint32_t, size_t> first_letter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first >= 0xF5 || text.size() < length) return {0, 0};
  uint32_t letter = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    letter = letter << 6 | (byte(i) & 0x3Fu);
  }
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool sound = letter >= least && letter <= 0x10FFFF && (letter < 0xD800 || letter > 0xDFFF);
  return sound ? std::pair(letter, length) : std::pair(0u, size_t{0});
}

bool acts_on_a_screen(uint32_t letter) {
  return letter < 0x20 || (letter >= 0x7F && letter <= 0x9F) ||  // controls
         letter == 0xAD || letter == 0x061C || letter == 0x180E || (letter >= 0x200B && letter <= 0x200F) ||
         (letter >= 0x2028 && letter <= 0x202E) || (letter >= 0x2060 && letter <= 0x206F) || letter == 0xFEFF ||
         (letter >= 0xFFF9 && letter <= 0xFFFB) || (letter >= 0xE0000 && letter <= 0xE007F);
}

}  // namespace

std::string printable(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [letter, length] = first_letter(text);
    if (length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (acts_on_a_screen(letter) && !(keep_lines && (letter == '\n' || letter == '\t'))) {
      result += letter > 0xFFFF ? fmt::format("\\U{:08x}", letter) : fmt::format("\\u{:04x}", letter);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return result;
}

std::string message_line(std::string_view text) {
  constexpr std::string_view kCut = " ... ";
  constexpr size_t kEnd = kLongestMessage / 3, kBegin = kLongestMessage - kEnd - kCut.size();
  // What is cut anyway is not looked at: a message may hold a file of megabytes.
  std::string line(trimmed(text));
  if (line.size() > 4 * kLongestMessage)
    line = line.substr(0, 2 * kLongestMessage) + line.substr(line.size() - 2 * kLongestMessage);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line = printable(line, /*keep_lines=*/false);
  if (line.size() <= kLongestMessage) return line;
  const auto within_letter = [&](size_t at) { return (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80; };
  size_t begin = kBegin, end = line.size() - kEnd;
  while (begin > 0 && within_letter(begin)) --begin;
  while (end < line.size() && within_letter(end)) ++end;
  return line.substr(0, begin) + std::string(kCut) + line.substr(end);
}

std::string as_utf8(std::string_view text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

TextReader::TextReader(std::string_view text, std::string module, std::string file)
    : rest_(text.substr(0, text.find_last_not_of(kBlank) + 1)),  // npos + 1 == 0: all blank
      module_(std::move(module)),
      file_(std::move(file)) {}

bool TextReader::next() {
  fields_.clear();
  if (rest_.empty()) return false;
  const size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_number_;
  return true;
}

const std::vector<std::string_view>& TextReader::fields() {
  fields_.clear();
  for (size_t begin = line_.find_first_not_of(kBlank); begin < line_.size();) {
    const size_t end = std::min(line_.find_first_of(kBlank, begin), line_.size());
    fields_.push_back(line_.substr(begin, end - begin));
    begin = line_.find_first_not_of(kBlank, end);
  }
  return fields_;
}

const std::vector<std::string_view>& TextReader::fields(char separator) {
  fields_.clear();
  for (size_t begin = 0; begin <= line_.size();) {
    const size_t end = std::min(line_.find(separator, begin), line_.size());
    fields_.push_back(trimmed(line_.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fields_;
}

void TextReader::fail(std::string_view expected, std::string_view found) const {
  ADA_THROW("[{}] {}:{}: expected {}, found {}", module_, file_, line_number_, expected, found);
}

}  // namespace adasample
