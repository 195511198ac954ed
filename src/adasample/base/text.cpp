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
