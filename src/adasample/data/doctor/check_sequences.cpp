// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <algorithm>
#include <map>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/base/text.h"
#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kFetchSequence = "fetch or unpack the sequence again";
constexpr const char* kLeaveOut = "move it out of the folder, or go on without it: data sequences --skip-bad";

// What is in a folder, by number: several pictures may claim one.
struct Numbered {
  std::map<int, std::vector<fs::path>> pictures;
  std::map<int, fs::path> homographies;  // 2 to 6
};

Numbered list_numbered(const fs::path& folder) {
  Numbered found;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  ADA_CHECK(!error, "[sequences] {}: cannot be listed: {}", folder.string(), error.message());
  for (const fs::directory_entry& entry : entries) {
    int number = 0;
    if (entry.is_directory(error)) continue;
    if (has_picture_extension(entry.path()) && parse_number(entry.path().stem().string(), number)) {
      found.pictures[number].push_back(entry.path());
    }
  }
  for (auto& [number, files] : found.pictures) std::sort(files.begin(), files.end());
  for (int n = 2; n <= kMostSequenceImages; ++n) {
    if (fs::exists(homography_file(folder, n), error)) found.homographies[n] = homography_file(folder, n);
  }
  return found;
}

void check_pictures(const Numbered& found, const fs::path& folder, int last, std::vector<Finding>& problems) {
  std::vector<int> others;
  for (const auto& [number, files] : found.pictures) {
    if (number < 1 || number > kMostSequenceImages) others.push_back(number);
    if (files.size() < 2) continue;
    problems.push_back({files[0].string(),
                        fmt::format("expected one picture {}, found also {}", number, files[1].filename().string()),
                        "remove or rename the one the homographies do not belong to"});
  }
  if (!others.empty()) {
    problems.push_back({folder.string(),
                        fmt::format("expected pictures 1.* to {}.*, found also the numbers [{}]", kMostSequenceImages,
                                    fmt::join(others, ", ")),
                        "move or rename them"});
  }
  for (int n = 1; n <= last; ++n) {
    if (found.pictures.contains(n)) continue;
    problems.push_back({(folder / fmt::format("{}.*", n)).string(), "this picture is missing", kFetchSequence});
  }
}

void check_homographies(const Numbered& found, const fs::path& folder, int last, std::vector<Finding>& problems) {
  for (int n = 2; n <= last; ++n) {
    const fs::path file = homography_file(folder, n);
    if (found.homographies.contains(n)) {
      attempt(problems, file, kFetchSequence, [&] { return read_homography(file); });
    } else {
      problems.push_back({file.string(), "this homography is missing", kFetchSequence});
    }
  }
}

void check_sequence(const Numbered& found, const fs::path& folder, std::vector<Finding>& problems) {
  if (found.pictures.empty() && found.homographies.empty()) {
    problems.push_back(
        {folder.string(), "expected pictures 1.*, 2.* .. and homographies H_1_2 .., found neither", kLeaveOut});
    return;
  }
  int last = 2;  // a sequence has two pictures at least
  for (int n = 3; n <= kMostSequenceImages; ++n) {
    if (found.pictures.contains(n) || found.homographies.contains(n)) last = n;
  }
  check_pictures(found, folder, last, problems);
  check_homographies(found, folder, last, problems);
}

}  // namespace

bool looks_like_sequences(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  const std::vector<fs::path> folders = sequence_folders(path);
  return std::any_of(folders.begin(), folders.end(), [](const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(homography_file(folder, 2), ignored);
  });
}

Diagnosis check_sequences(const fs::path& path) {
  Diagnosis diagnosis{.kind = "homography sequences", .inventory = {}, .problems = {}, .remarks = {}};
  const std::vector<fs::path> folders = sequence_folders(path);
  int64_t sequences = 0, pictures = 0, homographies = 0;
  for (const fs::path& folder : folders) {
    attempt(diagnosis.problems, folder, kLeaveOut, [&] {
      const Numbered found = list_numbered(folder);
      check_sequence(found, folder, diagnosis.problems);
      sequences += found.homographies.empty() ? 0 : 1;
      for (const auto& [number, files] : found.pictures) pictures += std::ssize(files);
      homographies += std::ssize(found.homographies);
      return true;
    });
  }
  diagnosis.inventory = {{"sequences", sequences}, {"pictures", pictures}, {"homographies", homographies}};
  return diagnosis;
}

std::string sequences_fingerprint(const fs::path& path) {
  std::vector<fs::path> files;
  for (const fs::path& folder : sequence_folders(path)) {
    const Numbered found = list_numbered(folder);
    for (const auto& [number, pictures] : found.pictures) files.insert(files.end(), pictures.begin(), pictures.end());
    for (const auto& [number, file] : found.homographies) files.push_back(file);
  }
  return fingerprint_files(path, files);
}

}  // namespace adasample
