// SPDX-License-Identifier: Apache-2.0
// The data doctor's look at a folder of photographs.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/doctor/finding.h"

namespace adasample {

// Pictures that cannot be read, copies of others, and those too small to hold a patch.
Diagnosis check_images(const std::filesystem::path& folder);

// sha256 over names and contents, in the order of the names.
std::string images_fingerprint(const std::filesystem::path& folder);

}  // namespace adasample
