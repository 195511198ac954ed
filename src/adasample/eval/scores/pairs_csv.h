// SPDX-License-Identifier: Apache-2.0
// Scored pairs from any program, as lines `label,distance`: label 1 for a pair that shows the same point, else 0.
// The first line may be the header "label,distance"; CR LF and blank lines at the end are fine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/eval/pair_scores.h"

namespace adasample {

struct LabelledDistances {
  std::vector<uint8_t> labels;
  std::vector<double> distances;
};

// Throws Error naming file and line for anything but a label 0 or 1 and a finite distance, and when the file lacks
// positives or negatives.
LabelledDistances read_pairs_csv(const std::filesystem::path& path);
// For fuzzing and memory buffers; `label` names the source in messages.
LabelledDistances parse_pairs_csv(std::string_view text, const std::string& label);

}  // namespace adasample
