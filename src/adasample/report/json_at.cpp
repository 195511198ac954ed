// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/json_at.h"

#include <limits>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/base/text.h"

namespace adasample {

namespace {

constexpr size_t kMostMembers = 8192;  // of an object that keeps their order, which is slow; we write some hundred

}  // namespace

Json parse_object(std::string_view text, const std::string& where) {
  Json value;
  try {
    ADA_CHECK(!is_too_deep(text), "[report] {}: brackets nested more than {} deep", where, kMostDepth);
    const size_t members = member_count(text);
    ADA_CHECK(members <= kMostMembers, "[report] {}: expected at most {} members, found {}", where, kMostMembers,
              members);
    value = Json::parse(text);
  } catch (const nlohmann::json::exception&) {  // its message is several sentences; the text itself tells more
    ADA_THROW("[report] {}: expected a JSON object, found {} - cut off or not written by adasample?", where,
              trimmed(text).empty() ? "nothing" : shown(trimmed(text)));
  }
  if (!value.is_object()) JsonAt(value, where).fail("a JSON object");
  return value;
}

void JsonAt::fail(std::string_view expected, std::string_view found) const {
  ADA_THROW("[report] {}: {}{}expected {}, found {}", where_, path_, path_.empty() ? "" : ": ", expected,
            found.empty() ? value_->type_name() : found);
}

void JsonAt::expect_object() const {
  if (!value_->is_object()) fail("an object");
}

JsonAt JsonAt::at(const std::string& key) const {
  expect_object();
  const auto found = value_->find(key);
  if (found == value_->end()) fail("an object with \"" + key + "\"", "one without");
  return {*found, where_, path_.empty() ? key : path_ + "." + key};
}

std::optional<JsonAt> JsonAt::find(const std::string& key) const {
  expect_object();
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return at(key);
}

std::vector<JsonAt> JsonAt::list(size_t most) const {
  if (!value_->is_array()) fail("a list");
  if (value_->size() > most) fail(fmt::format("at most {} entries", most), std::to_string(value_->size()));
  std::vector<JsonAt> entries;
  for (size_t i = 0; i < value_->size(); ++i)
    entries.emplace_back((*value_)[i], where_, fmt::format("{}[{}]", path_, i));
  return entries;
}

std::string JsonAt::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

int64_t JsonAt::integer(int64_t low, int64_t high) const {
  const std::string range = high == INT64_MAX ? fmt::format("a whole number, {} or more", low)
                                              : fmt::format("a whole number from {} to {}", low, high);
  if (!value_->is_number_integer()) fail(range);
  if (value_->is_number_unsigned() && value_->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    fail(range, value_->dump());
  const int64_t number = value_->get<int64_t>();
  if (number < low || number > high) fail(range, value_->dump());
  return number;
}

double JsonAt::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

double JsonAt::number_or_nan() const {
  if (value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value_->is_number()) fail("a number or null");
  return value_->get<double>();
}

}  // namespace adasample
