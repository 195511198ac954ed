// SPDX-License-Identifier: Apache-2.0
// What stands in an HPatches root, sound or not: the ground of the data doctor's findings and of the fingerprint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adasample/data/hpatches/hpatches_sequences.h"

namespace adasample {

struct SurveyedStrip {
  std::filesystem::path path;
  std::string label;    // "i_dome/e3.png"
  int64_t patches = 0;  // once read; 0: it cannot be, and `problem` says why
  std::string problem;
};

struct SurveyedSequence {
  std::string name;
  const HpatchesCount* released = nullptr;  // what the release says of it, if it knows it
  std::vector<SurveyedStrip> strips;        // those that are there
  std::vector<std::string> missing;         // those that should be, "e3.png"

  int64_t usual_count() const;  // patches in most of its strips; 0 when none can be read
};

// The line of the release's table; null when it has no sequence of this name.
const HpatchesCount* find_hpatches_release(const std::string& name);

// "expected 547 to 548 patches as in the release, found 10"; empty for a count that the release may have.
std::string differs_from_release(const HpatchesCount& released, int64_t patches);

// Lists; reads nothing yet. Throws Error when there is no sequence.
std::vector<SurveyedSequence> survey_hpatches(const std::filesystem::path& root);
std::vector<SurveyedStrip*> all_strips(std::vector<SurveyedSequence>& sequences);

// Decode every strip, hash every file: side by side, with progress; Ctrl-C throws Error.
void read_strips(const std::vector<SurveyedStrip*>& strips);
std::vector<std::string> sha256_of_strips(const std::vector<SurveyedStrip*>& strips);

}  // namespace adasample
