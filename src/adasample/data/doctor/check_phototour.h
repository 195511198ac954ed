// SPDX-License-Identifier: Apache-2.0
// The data doctor for PhotoTour sets: everything that is wrong with a folder at once, where opening it stops at the
// first thing. Knows the six published sets by their counts, and copes with a folder of sheets without labels.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/doctor/finding.h"

namespace adasample {

// Whether the folder holds a sheet or a match list.
bool looks_like_phototour(const std::filesystem::path& folder);

// Reads every byte of the folder's sheets and texts.
Diagnosis check_phototour(const std::filesystem::path& folder);

// Of sheets, labels and match lists (base/files/fingerprint.h).
std::string phototour_fingerprint(const std::filesystem::path& folder);

}  // namespace adasample
