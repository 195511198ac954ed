// SPDX-License-Identifier: Apache-2.0
// One number for a folder of files, to compare two copies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace adasample {

// sha256 over a line "SUM  NAME" a file, names relative to `root` and sorted: what `sha256sum FILES | sha256sum`
// prints, run in that folder with LC_ALL=C.
std::string fingerprint_files(const std::filesystem::path& root, const std::vector<std::filesystem::path>& files);

}  // namespace adasample
