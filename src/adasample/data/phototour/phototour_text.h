// SPDX-License-Identifier: Apache-2.0
// The text files of a PhotoTour set (Brown and others; liberty, notredame, yosemite), fields between blanks:
//   info.txt      a line a patch: point id, a number nobody uses
//   interest.txt  a line a patch: id of the photograph it comes from, then where in it
//   m50_*.txt     a line a pair: patch, its point, unused, patch, its point, unused
// Every line of a file must have as many fields as its first: a download that broke off in a line is noticed. `name` is
// the file as messages name it, with the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/data/labelled_pairs.h"

namespace adasample {

// The point of each patch: equal numbers are one class, in any order and with any gaps.
std::vector<int64_t> parse_phototour_info(std::string_view text, const std::string& name);

// The photograph of each patch.
std::vector<int64_t> parse_phototour_interest(std::string_view text, const std::string& name);

// Pairs in file order. Two patches match when their points are the same text, as the field's readers compare them.
// Patches must lie in [0, patch_count).
PatchPairs parse_phototour_matches(std::string_view text, int64_t patch_count, const std::string& name);

}  // namespace adasample
