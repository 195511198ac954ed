// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_text.h"

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

// Calls `take(reader, fields)` for every line.
template <typename Take>
void for_each_line(std::string_view text, const std::string& name, size_t fewest_fields, Take&& take) {
  TextReader reader(text, "phototour", name);
  size_t count = 0;  // of fields in the first line
  while (reader.next()) {
    const auto& fields = reader.fields();
    if (reader.line_number() == 1) {
      count = fields.size();
      if (count < fewest_fields) {
        reader.fail(fmt::format("{} fields or more", fewest_fields), fmt::format("{}", count));
      }
    }
    if (fields.size() != count) {
      reader.fail(fmt::format("{} fields as in line 1", count), fmt::format("{} - truncated download?", fields.size()));
    }
    take(reader, fields);
  }
  ADA_CHECK(count > 0, "[phototour] {}: expected a line a patch or pair, found none - truncated download?", name);
}

std::vector<int64_t> first_column(std::string_view text, const std::string& name, std::string_view what) {
  std::vector<int64_t> numbers;
  for_each_line(text, name, 1,
                [&](const TextReader& reader, const auto&) { numbers.push_back(reader.number<int64_t>(0, what)); });
  return numbers;
}

}  // namespace

std::vector<int64_t> parse_phototour_info(std::string_view text, const std::string& name) {
  return first_column(text, name, "a point id");
}

std::vector<int64_t> parse_phototour_interest(std::string_view text, const std::string& name) {
  return first_column(text, name, "an image id");
}

PatchPairs parse_phototour_matches(std::string_view text, int64_t patch_count, const std::string& name) {
  PatchPairs pairs;
  for_each_line(text, name, 5, [&](const TextReader& reader, const auto& fields) {
    const auto patch = [&](size_t column) {
      const auto id = reader.number<int64_t>(column, "a patch number");
      if (id < 0 || id >= patch_count) {
        reader.fail(fmt::format("a patch number below {}", patch_count),
                    fmt::format("{} - a list of another set?", id));
      }
      return id;
    };
    const int64_t first = patch(0), second = patch(3);
    pairs.add(first, second, fields[1] == fields[4]);
  });
  return pairs;
}

}  // namespace adasample
