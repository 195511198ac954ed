// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

constexpr int64_t kListLengths[] = {20, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
constexpr size_t kSheetBytes = size_t{kPhotoTourSheet} * kPhotoTourSheet;

// An 8-bit bitmap, rows from the lowest on, with 256 greys.
std::string sheet_file(const std::vector<uint8_t>& pixels) {
  std::string file = "BM";
  const auto put = [&file](int64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 255);
  };
  constexpr int64_t kHeaders = 14 + 40 + 4 * 256;
  put(kHeaders + static_cast<int64_t>(kSheetBytes), 4);
  put(0, 4);
  put(kHeaders, 4);
  put(40, 4);
  put(kPhotoTourSheet, 4);
  put(kPhotoTourSheet, 4);
  put(1, 2);  // planes
  put(8, 2);  // bits a pixel
  file.append(24, '\0');
  for (int grey = 0; grey < 256; ++grey) put(grey * 0x010101, 4);
  for (int y = kPhotoTourSheet - 1; y >= 0; --y)
    file.append(reinterpret_cast<const char*>(pixels.data()) + size_t{kPhotoTourSheet} * static_cast<size_t>(y),
                kPhotoTourSheet);
  return file;
}

// Half matches, half not, drawn without drawing a match twice.
PatchPairs draw_pairs(const std::vector<int64_t>& points, uint64_t seed) {
  std::map<int64_t, std::vector<int64_t>> members;
  for (size_t p = 0; p < points.size(); ++p) members[points[p]].push_back(static_cast<int64_t>(p));
  std::vector<std::pair<int64_t, int64_t>> matches;
  for (const auto& [point, patches] : members) {
    for (size_t i = 0; i < patches.size(); ++i) {
      for (size_t j = i + 1; j < patches.size(); ++j) matches.emplace_back(patches[i], patches[j]);
    }
  }
  ADA_CHECK(!matches.empty() && members.size() > 1,
            "[phototour] {} points, {} pairs of patches of one point: too few "
            "for a match list",
            members.size(), matches.size());
  int64_t length = 2 * std::min<int64_t>(std::ssize(matches), kListLengths[0] / 2);
  for (const int64_t candidate : kListLengths) {
    if (candidate / 2 <= std::ssize(matches)) length = std::max(length, candidate);
  }
  RngStream rng(RngKey(seed, Draw::kTour).at(0));
  PatchPairs pairs;
  for (int64_t i = 0; i < length / 2; ++i) {  // the first so many of a shuffle
    std::swap(matches[static_cast<size_t>(i)], matches[static_cast<size_t>(i + rng.index(std::ssize(matches) - i))]);
    pairs.add(matches[static_cast<size_t>(i)].first, matches[static_cast<size_t>(i)].second, true);
  }
  const auto count = std::ssize(points);
  while (std::ssize(pairs.labels) < length) {
    const int64_t a = rng.index(count), b = rng.index(count);
    if (points[static_cast<size_t>(a)] == points[static_cast<size_t>(b)]) continue;
    pairs.add(a, b, false);
  }
  return pairs;
}

}  // namespace

std::string phototour_match_text(const PatchPairs& pairs, std::span<const int64_t> points) {
  std::string text;
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    const int64_t a = pairs.first[i], b = pairs.second[i];
    text += fmt::format("{} {} 0 {} {} 0\n", a, points[static_cast<size_t>(a)], b, points[static_cast<size_t>(b)]);
  }
  return text;
}

PhotoTourWriter::PhotoTourWriter(const std::filesystem::path& folder) : staged_(folder), sheet_(kSheetBytes) {}

void PhotoTourWriter::add(std::span<const uint8_t> patch, int64_t point, int64_t picture) {
  ADA_ASSERT(patch.size() == size_t{kPhotoTourPatch} * kPhotoTourPatch && point >= 0 && picture >= 0);
  const int64_t place = patch_count() % kPhotoTourPerSheet;
  constexpr int64_t kAcross = kPhotoTourSheet / kPhotoTourPatch;
  uint8_t* corner = sheet_.data() + (place / kAcross * kPhotoTourSheet + place % kAcross) * kPhotoTourPatch;
  for (int y = 0; y < kPhotoTourPatch; ++y)
    std::copy_n(patch.data() + size_t{kPhotoTourPatch} * static_cast<size_t>(y), kPhotoTourPatch,
                corner + size_t{kPhotoTourSheet} * static_cast<size_t>(y));
  points_.push_back(point);
  pictures_.push_back(picture);
  if (patch_count() % kPhotoTourPerSheet == 0) write_sheet();
}

void PhotoTourWriter::write_sheet() {
  const int64_t number = (patch_count() - 1) / kPhotoTourPerSheet;
  write_file_atomically(staged_.work() / fmt::format("patches{:04}.bmp", number), sheet_file(sheet_));
  std::fill(sheet_.begin(), sheet_.end(), uint8_t{0});
}

void PhotoTourWriter::finish(uint64_t seed) {
  const PatchPairs pairs = draw_pairs(points_, seed);
  if (patch_count() % kPhotoTourPerSheet != 0) write_sheet();
  std::string info, interest;
  for (size_t p = 0; p < points_.size(); ++p) {
    info += fmt::format("{} 0\n", points_[p]);
    interest += fmt::format("{}\n", pictures_[p]);
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file_atomically(staged_.work() / name, text);
  };
  write("info.txt", info);
  write("interest.txt", interest);
  write(fmt::format("m50_{0}_{0}_0.txt", pairs.labels.size()), phototour_match_text(pairs, points_));
  staged_.commit();
}

}  // namespace adasample
