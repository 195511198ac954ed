// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/json.h"

#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"

namespace adasample {

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::optional<nlohmann::json> try_parse_json(std::string_view text) {
  if (is_too_deep(text)) return std::nullopt;
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

nlohmann::json parse_json(std::string_view text, const std::string& label) {
  ADA_CHECK(!is_too_deep(text), "{}: expected JSON, found brackets nested more than {} deep", label, kMostDepth);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const std::string said = error.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    const size_t end = said.find("] ");
    ADA_THROW("{}: expected JSON: {}", label, end == std::string::npos ? said : said.substr(end + 2));
  }
}

nlohmann::json read_json(const std::filesystem::path& path, const std::string& module) {
  return parse_json(read_text(path, kMostJson), "[" + module + "] " + path.string());
}

}  // namespace adasample
