// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/sequence_folder.h"

#include <algorithm>
#include <map>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/base/parallel.h"
#include "adasample/base/text.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

// Pictures whose name is a number, by that number.
std::map<int, fs::path> numbered_images(const fs::path& folder) {
  std::map<int, fs::path> images;
  for (const fs::path& file : list_images(folder, /*recursive=*/false)) {
    int number = 0;
    if (!parse_number(file.stem().string(), number)) continue;
    const auto [other, fresh] = images.emplace(number, file);
    ADA_CHECK(fresh, "[sequences] {}: expected one picture {}, found {} and {}", folder.string(), number,
              other->second.filename().string(), file.filename().string());
  }
  return images;
}

// No camera sees a plane from behind: a map that mirrors is wrong, or meant for a picture that has been flipped.
void check_orientation(const Homography& target_from_ref, const ScalePyramid& reference, const fs::path& file) {
  const Point2 centre = {(reference.width() - 1) / 2.0, (reference.height() - 1) / 2.0};
  ADA_CHECK(
      target_from_ref.depth(centre) != 0 && target_from_ref.linearised_at(centre).determinant() > 0,
      "[sequences] {}: expected a homography that keeps the orientation, found one that mirrors the centre of the "
      "reference - wrong sign, or a flipped picture?",
      file.string());
}

}  // namespace

fs::path homography_file(const fs::path& folder, int target) { return folder / fmt::format("H_1_{}", target); }

std::vector<fs::path> sequence_folders(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  ADA_CHECK(!error, "[sequences] {}: cannot be listed: {}", folder.string(), error.message());
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : entries) {
    const bool hidden = entry.path().filename().string().starts_with(".");
    if (!hidden && entry.is_directory(error)) folders.push_back(entry.path());
  }
  if (folders.empty() || fs::exists(homography_file(folder, 2), error)) return {folder};
  std::sort(folders.begin(), folders.end());
  return folders;
}

SequenceFiles find_sequence(const fs::path& folder) {
  const std::map<int, fs::path> images = numbered_images(folder);
  const int count = static_cast<int>(images.size());
  std::vector<int> numbers;
  numbers.reserve(images.size());
  for (const auto& [number, file] : images) numbers.push_back(number);
  ADA_CHECK(count >= 2 && count <= kMostSequenceImages && numbers.front() == 1 && numbers.back() == count,
            "[sequences] {}: expected pictures 1.* to {}.*, or fewer but at least two, found the numbers [{}]",
            folder.string(), kMostSequenceImages, fmt::join(numbers, ", "));
  SequenceFiles files;
  files.name = fs::canonical(folder).filename().string();
  for (int n = 1; n <= count; ++n) {
    files.images.push_back(images.at(n));
    if (n == 1) continue;
    files.homographies.push_back(homography_file(folder, n));
    ADA_CHECK(fs::exists(files.homographies.back()),
              "[sequences] {}: expected this homography from picture 1 to {}, found no such file",
              files.homographies.back().string(), images.at(n).filename().string());
  }
  for (int n = count + 1; n <= kMostSequenceImages; ++n) {
    ADA_CHECK(!fs::exists(homography_file(folder, n)),
              "[sequences] {}: expected a picture {}.* to go with it, found none", homography_file(folder, n).string(),
              n);
  }
  return files;
}

Sequence read_sequence(const SequenceFiles& files) {
  Sequence sequence;
  for (const fs::path& file : files.homographies) sequence.target_from_ref.push_back(read_homography(file));
  sequence.images.resize(files.images.size());
  parallel_for(static_cast<int64_t>(files.images.size()), [&](int64_t i) {
    const auto slot = static_cast<size_t>(i);
    sequence.images[slot] = std::make_unique<ScalePyramid>(read_image(files.images[slot]));
  });
  for (size_t i = 0; i < files.homographies.size(); ++i) {
    check_orientation(sequence.target_from_ref[i], *sequence.images[0], files.homographies[i]);
  }
  Sha256 hash;  // of what has been found to be pictures
  for (const auto* list : {&files.images, &files.homographies}) {
    for (const fs::path& file : *list) hash.update(MappedFile(file).bytes());
  }
  sequence.sha256 = hash.hex();
  return sequence;
}

}  // namespace adasample
