// SPDX-License-Identifier: Apache-2.0
// The data doctor for homography sequences (data/sequences/sequence_folder.h): a folder of them, or one.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/doctor/finding.h"

namespace adasample {

// The folder, or a subfolder that is not hidden, holds H_1_2.
bool looks_like_sequences(const std::filesystem::path& path);

// Problems: missing pictures and homographies, two pictures of one number, numbers beyond 6, homographies that cannot
// be read or have no inverse, folders that are no sequence. Pictures are not opened: one that is damaged, or a
// homography that mirrors, is found by `data sequences`.
Diagnosis check_sequences(const std::filesystem::path& path);

// sha256 of the lines "<sha256>  <path below the folder>\n" of all numbered pictures and homographies, sorted by path.
std::string sequences_fingerprint(const std::filesystem::path& path);

}  // namespace adasample
