// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_writer.h"

#include <gtest/gtest.h>

#include <map>

#include "adasample/data/doctor/doctor.h"
#include "tests/support/expect_error.h"
#include "tests/support/phototour_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBytes = size_t{kPhotoTourPatch} * kPhotoTourPatch;

std::vector<uint8_t> patch_of(int64_t number) {
  std::vector<uint8_t> patch(kBytes);
  for (size_t i = 0; i < kBytes; ++i)
    patch[i] = testing::golden_pixel(number, static_cast<int>(i % 64), static_cast<int>(i / 64));
  return patch;
}

// The golden set, whose sheets come from an independent formula, written by the writer: the same bytes.
TEST(PhotoTourWriter, SheetsAreTheGoldenOnes) {
  const testing::TempFolder folder;
  PhotoTourWriter writer(folder / "set");
  for (int64_t p = 0; p < 300; ++p) writer.add(patch_of(p), 7 * (p / 3), p % 3);
  writer.finish(/*seed=*/1);
  for (const int64_t sheet : {0, 1}) {
    EXPECT_EQ(read_text(folder / "set" / ("patches000" + std::to_string(sheet) + ".bmp")),
              testing::golden_sheet(sheet, 300));
  }
}

TEST(PhotoTourWriter, TheReaderFindsWhatWasWritten) {
  const testing::TempFolder folder;
  {
    PhotoTourWriter writer(folder / "set");
    for (int64_t p = 0; p < 300; ++p) writer.add(patch_of(p), 7 * (p / 3), 10 + p % 3);
    EXPECT_FALSE(fs::exists(folder / "set"));
    writer.finish(/*seed=*/1);
  }
  const PhotoTour set = PhotoTour::open(folder / "set");
  ASSERT_EQ(set.patch_count(), 300);
  EXPECT_EQ(set.classes().size(), 100u);
  EXPECT_EQ(set.points()[299], 7 * 99);
  std::vector<uint8_t> patch(kBytes);
  set.read(257, patch);
  EXPECT_EQ(patch, patch_of(257));
  // 300 matches of 100 points of three: a list of 500 lines.
  const auto list = set.match_list(std::nullopt);
  EXPECT_EQ(list.filename(), "m50_500_500_0.txt");
  const PatchPairs pairs = set.read_matches(list);
  std::map<std::pair<int64_t, int64_t>, int> times;
  int64_t matches = 0;
  for (size_t i = 0; i < pairs.labels.size(); ++i) {
    EXPECT_EQ(pairs.labels[i] == 1, pairs.first[i] / 3 == pairs.second[i] / 3);
    matches += pairs.labels[i];
    if (pairs.labels[i] == 0) continue;
    EXPECT_EQ((++times[{pairs.first[i], pairs.second[i]}]), 1);
  }
  EXPECT_EQ(pairs.labels.size(), 500u);
  EXPECT_EQ(matches, 250);
  // The doctor misses nothing but the customary list, for which there are too few matches.
  const Diagnosis diagnosis = check_phototour(folder / "set");
  ASSERT_EQ(diagnosis.problems.size(), 1u);
  EXPECT_TRUE(diagnosis.problems[0].path.ends_with("m50_100000_100000_0.txt"));
}

TEST(PhotoTourWriter, RefusesWhatHasNoPairs) {
  const testing::TempFolder folder;
  PhotoTourWriter writer(folder / "set");
  for (int64_t p = 0; p < 5; ++p) writer.add(patch_of(p), p, 0);
  testing::expect_error([&] { writer.finish(1); }, "too few for a match list");
  EXPECT_FALSE(fs::exists(folder / "set"));
}

}  // namespace
}  // namespace adasample
