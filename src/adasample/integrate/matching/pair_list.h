// SPDX-License-Identifier: Apache-2.0
// Which pictures are matched with which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adasample {

// Numbers of two pictures, the smaller one first.
using ImagePair = std::pair<uint32_t, uint32_t>;

struct PairList {
  std::vector<ImagePair> pairs;      // each once, sorted
  std::vector<std::string> unknown;  // names that no picture has, each once
};

// A pair of names per line, "a b", as hloc and COLMAP write them; lines that are blank or begin with # do not count.
// Names that hold blanks are separated by a tab. A name that no picture has is told, and the line is left out, as is a
// picture paired with itself. Throws Error that names file and line where a line does not hold two names.
PairList parse_pair_list(std::string_view text, const std::string& file, const std::vector<std::string>& names);
std::string format_pair_list(const std::vector<ImagePair>& pairs, const std::vector<std::string>& names);

std::vector<ImagePair> all_pairs(size_t pictures);
// Each picture with the `after` that follow it.
std::vector<ImagePair> sequential_pairs(size_t pictures, int after);

// Ordered so that a walk over them needs few pictures at once: block by block of so many pictures.
void order_for_few(std::vector<ImagePair>& pairs, size_t block);

}  // namespace adasample
