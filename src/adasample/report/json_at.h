// SPDX-License-Identifier: Apache-2.0
// A JSON value from outside and where it stands: what is asked of it is given, or an Error says
// "[report] snapshots.jsonl:3: picks[0].drawn: expected a whole number from 0 to 7, found string".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

using Json = nlohmann::ordered_json;

// The JSON object that `text` holds; `where` is its file, or file:line.
Json parse_object(std::string_view text, const std::string& where);

class JsonAt {
 public:
  // `value` must outlive this and what is taken from it.
  JsonAt(const Json& value, std::string where, std::string path = "")
      : value_(&value), where_(std::move(where)), path_(std::move(path)) {}

  const Json& value() const { return *value_; }
  JsonAt at(const std::string& key) const;                   // must be there
  std::optional<JsonAt> find(const std::string& key) const;  // nothing where missing or null

  std::vector<JsonAt> list(size_t most) const;
  std::string text() const;
  int64_t integer(int64_t low, int64_t high) const;
  double number() const;
  double number_or_nan() const;  // null is NaN

  [[noreturn]] void fail(std::string_view expected, std::string_view found = "") const;

 private:
  void expect_object() const;

  const Json* value_;
  std::string where_, path_;
};

}  // namespace adasample
