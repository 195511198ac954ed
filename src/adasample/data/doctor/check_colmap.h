// SPDX-License-Identifier: Apache-2.0
// The data doctor on a COLMAP model: what is in it, whether it can be read, and what `data colmap` would miss.
#pragma once

#include <filesystem>

#include "adasample/data/doctor/finding.h"

namespace adasample {

// Whether `path` is a folder with cameras, images and points3D.
bool looks_like_colmap(const std::filesystem::path& path);

// Photographs and the database are looked for near the model (places_near_model); the photographs are not opened, and
// of the database only its first bytes are read.
Diagnosis check_colmap(const std::filesystem::path& folder);

}  // namespace adasample
