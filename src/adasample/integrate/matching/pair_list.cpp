// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/pair_list.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

ImagePair in_order(uint32_t a, uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

}  // namespace

PairList parse_pair_list(std::string_view text, const std::string& file, const std::vector<std::string>& names) {
  std::map<std::string_view, uint32_t> numbers;
  for (size_t i = 0; i < names.size(); ++i) numbers[names[i]] = static_cast<uint32_t>(i);
  std::set<ImagePair> pairs;
  std::set<std::string> unknown;
  TextReader reader(text, "pairs", file);
  while (reader.next()) {
    if (reader.line().empty() || reader.line().front() == '#') continue;
    const bool tab = reader.line().find('\t') != std::string_view::npos;
    const auto& fields = tab ? reader.fields('\t') : reader.fields();
    if (fields.size() != 2) reader.fail("the names of two pictures", fmt::format("{} words", fields.size()));
    const auto first = numbers.find(fields[0]), second = numbers.find(fields[1]);
    if (first == numbers.end()) unknown.emplace(fields[0]);
    if (second == numbers.end()) unknown.emplace(fields[1]);
    if (first == numbers.end() || second == numbers.end() || first == second) continue;
    pairs.insert(in_order(first->second, second->second));
  }
  return {{pairs.begin(), pairs.end()}, {unknown.begin(), unknown.end()}};
}

std::string format_pair_list(const std::vector<ImagePair>& pairs, const std::vector<std::string>& names) {
  std::string text;
  const auto has_blank = [](const std::string& name) { return name.find(' ') != std::string::npos; };
  for (const auto& [a, b] : pairs) {
    text += names[a] + (has_blank(names[a]) || has_blank(names[b]) ? "\t" : " ") + names[b] + "\n";
  }
  return text;
}

std::vector<ImagePair> all_pairs(size_t pictures) { return sequential_pairs(pictures, static_cast<int>(pictures)); }

std::vector<ImagePair> sequential_pairs(size_t pictures, int after) {
  std::vector<ImagePair> pairs;
  for (size_t i = 0; i < pictures; ++i) {
    for (size_t j = i + 1; j < std::min(pictures, i + 1 + static_cast<size_t>(after)); ++j) {
      pairs.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(j));
    }
  }
  return pairs;
}

void order_for_few(std::vector<ImagePair>& pairs, size_t block) {
  ADA_ASSERT(block > 0);
  std::sort(pairs.begin(), pairs.end(), [block](const ImagePair& x, const ImagePair& y) {
    return std::tuple(x.first / block, x.second / block, x) < std::tuple(y.first / block, y.second / block, y);
  });
}

}  // namespace adasample
