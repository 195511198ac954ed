// SPDX-License-Identifier: Apache-2.0
// The lists that define the HPatches tasks, and the benchmark's files of them, tasks/<kind>_split-<split>.csv:
//   verif_pos, verif_neg_intra, verif_neg_inter    s1,t1,idx1,s2,t2,idx2: two patches; t is the image, 0 the reference
//   retr_queries, retr_distractors                 s,idx: a reference patch
// A list says nothing of the level: image 3 is e3, h3 or t3 as the list is used for easy, hard and tough.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/eval/hpatches/descriptor_set.h"

namespace adasample {

struct PatchPlace {
  uint16_t sequence = 0;  // place in the split
  uint8_t image = 0;
  uint32_t patch = 0;

  bool operator==(const PatchPlace&) const = default;
};

struct PlacePair {
  PatchPlace first, second;
};

// Row i of all three begins with the same patch in the benchmark's lists.
struct VerificationLists {
  std::vector<PlacePair> positives, intra, inter;  // inter: the second patch is drawn from any sequence
};

struct RetrievalLists {
  std::vector<PatchPlace> queries, distractors;  // all in the reference
};

inline constexpr std::array kListKinds = {"verif_pos", "verif_neg_intra", "verif_neg_inter", "retr_queries",
                                          "retr_distractors"};
inline constexpr size_t kVerificationLists = 3;  // the first of them; the others are retrieval's
std::string list_file(const std::string& kind, const std::string& split);

// Throw Error that names file and line: a header or field that is not as above, a sequence that is not in the split, an
// image or patch the sequence does not have. `label` names the file.
std::vector<PlacePair> parse_pair_list(std::string_view text, const std::string& label,
                                       const std::vector<SequenceShape>& shapes);
std::vector<PatchPlace> parse_patch_list(std::string_view text, const std::string& label,
                                         const std::vector<SequenceShape>& shapes);

// Byte for byte as the benchmark's generator writes them.
std::string format_list(const std::vector<PlacePair>& list, const std::vector<SequenceShape>& shapes);
std::string format_list(const std::vector<PatchPlace>& list, const std::vector<SequenceShape>& shapes);

}  // namespace adasample
