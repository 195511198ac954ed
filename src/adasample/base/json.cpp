// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/json.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"

namespace adasample {

namespace {

// Calls visit(character) for those outside strings until it returns false.
template <typename Visit>
void each_outside_strings(std::string_view text, const Visit& visit) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (!visit(c)) {
      return;
    }
  }
}

// Takes everything.
class TakesAll : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool end_object() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
};

// Stops where lists and objects are nested too deeply.
class Shallow : public TakesAll {
 public:
  bool start_array(std::size_t) override { return ++depth_ <= kMostDepth; }
  bool end_array() override { return --depth_ >= 0; }
  bool start_object(std::size_t) override { return ++depth_ <= kMostDepth; }
  bool end_object() override { return --depth_ >= 0; }

 private:
  int depth_ = 0;
};

// Remembers the keys of the objects that are open.
class RepeatedKey : public TakesAll {
 public:
  std::optional<std::string> found;

  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!open_.back().insert(name).second) found = name;
    return !found.has_value();
  }

 private:
  std::vector<std::unordered_set<std::string>> open_;
};

}  // namespace

bool is_too_deep(std::string_view text, int most) {
  int depth = 0, deepest = 0;
  each_outside_strings(text, [&](char c) {
    depth += static_cast<int>(c == '[' || c == '{') - static_cast<int>(c == ']' || c == '}');
    deepest = std::max(deepest, depth);
    return deepest <= most;
  });
  return deepest > most;
}

size_t member_count(std::string_view text) {
  size_t count = 0;
  each_outside_strings(text, [&](char c) {
    count += c == ':' ? 1 : 0;
    return true;
  });
  return count;
}

std::optional<std::string> repeated_key(std::string_view text) {
  RepeatedKey keys;
  nlohmann::json::sax_parse(text, &keys);
  return keys.found;
}

std::optional<nlohmann::json> try_parse_cbor(std::string_view bytes) {
  Shallow shallow;  // first, since the parser itself recurses
  if (!nlohmann::json::sax_parse(bytes, &shallow, nlohmann::json::input_format_t::cbor)) return std::nullopt;
  nlohmann::json value = nlohmann::json::from_cbor(bytes, /*strict=*/true, /*allow_exceptions=*/false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
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
