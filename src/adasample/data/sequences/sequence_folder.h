// SPDX-License-Identifier: Apache-2.0
// Homography sequences on disk, one folder each: pictures 1.* (the reference) to 6.*, or fewer but at least two, and
// text files H_1_2 to H_1_6 with target_from_ref (image/homography.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/image/homography.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

inline constexpr int kMostSequenceImages = 6;

struct SequenceFiles {
  std::string name;                                 // of the folder
  std::vector<std::filesystem::path> images;        // the reference first
  std::vector<std::filesystem::path> homographies;  // one fewer
};

// Of picture `target`, 2 to 6.
std::filesystem::path homography_file(const std::filesystem::path& folder, int target);

// `folder` itself where it holds H_1_2 or no subfolder, else its subfolders, sorted by name, hidden ones left out.
std::vector<std::filesystem::path> sequence_folders(const std::filesystem::path& folder);

// Throws Error, naming what is missing, on gaps in the numbering, two pictures of one number, pictures without
// homography and homographies without picture.
SequenceFiles find_sequence(const std::filesystem::path& folder);

struct Sequence {
  std::vector<std::unique_ptr<ScalePyramid>> images;  // the reference first
  std::vector<Homography> target_from_ref;            // [i] leads to images[i + 1]
  std::string sha256;                                 // of the bytes of all its files, in their order
};

// Throws Error, naming the file, on one that cannot be read and on a homography that mirrors the reference's centre.
Sequence read_sequence(const SequenceFiles& files);

}  // namespace adasample
