// SPDX-License-Identifier: Apache-2.0
// Two methods compared by what people have of them: numbers, or result files.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adasample/eval/statistics/comparison.h"

namespace adasample {

struct ComparisonRequest {
  std::vector<std::string> a, b;             // of each side its numbers, or the names of its results
  std::map<std::string, std::string> given;  // results at hand, JSON by name; any other name is a file
  std::string figure;                        // to take from results, as keys separated by dots
  std::optional<bool> paired;                // nothing: where both sides' results name the same seeds
  ComparisonOptions options;
};

struct ComparisonAnswer {
  nlohmann::ordered_json record;  // as docs/formats.md has it
  std::string text;               // for people, without the last line feed
};

// Throws a usage Error for sides of two kinds, and for results without a figure to take from them.
ComparisonAnswer answer_comparison(const ComparisonRequest& request);

}  // namespace adasample
