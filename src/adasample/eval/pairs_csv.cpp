// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pairs_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"

namespace adasample {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// Foreign text as a message can show it: short and printable.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + result + (text.size() > 40 ? "...'" : "'");
}

// Takes the next line off `rest`.
std::string_view next_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(line);
}

}  // namespace

LabelledDistances parse_pairs_csv(std::string_view text, const std::string& label) {
  LabelledDistances pairs;
  std::string_view rest = text.substr(0, text.find_last_not_of(kBlank) + 1);  // npos + 1 == 0: all blank
  for (int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = next_line(rest);
    const size_t comma = std::min(line.find(','), line.size());
    const std::string_view label_field = trimmed(line.substr(0, comma));
    const std::string_view distance_field = trimmed(line.substr(std::min(comma + 1, line.size())));
    if (number == 1 && label_field == "label" && distance_field == "distance") continue;

    ADA_CHECK(comma < line.size(), "[pairs] {}:{}: expected 'label,distance', found {}", label, number, shown(line));
    ADA_CHECK(label_field == "0" || label_field == "1", "[pairs] {}:{}: expected the label 0 or 1, found {}", label,
              number, shown(label_field));
    double distance = 0;
    const char* end = distance_field.data() + distance_field.size();
    const auto [stop, problem] = std::from_chars(distance_field.data(), end, distance);
    ADA_CHECK(problem == std::errc() && stop == end && std::isfinite(distance),
              "[pairs] {}:{}: expected a finite distance, found {}", label, number, shown(distance_field));
    pairs.labels.push_back(label_field == "1" ? 1 : 0);
    pairs.distances.push_back(distance);
  }
  ADA_CHECK(!pairs.labels.empty(), "[pairs] {}: expected lines 'label,distance', found none", label);
  for (const uint8_t kind : {1, 0}) {
    ADA_CHECK(std::count(pairs.labels.begin(), pairs.labels.end(), kind) > 0,
              "[pairs] {}: no pair of label {} among {}; both kinds are needed", label, kind, pairs.labels.size());
  }
  return pairs;
}

LabelledDistances read_pairs_csv(const std::filesystem::path& path) {
  return parse_pairs_csv(read_text(path), path.string());
}

}  // namespace adasample
