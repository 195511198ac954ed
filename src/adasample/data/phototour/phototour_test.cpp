// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/phototour_set.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::put_file;

class PhotoTourFolder : public ::testing::Test {
 protected:
  PhotoTourFolder() { testing::write_golden_set(root_); }
  PhotoTour open() const { return PhotoTour::open(root_); }
  void refused(const std::string& file, const std::string& why) const {
    expect_error([&] { open(); }, file, why);
  }

  testing::TempFolder folder_;
  fs::path root_ = folder_ / "golden";
};

TEST_F(PhotoTourFolder, HoldsTheGoldenPatchesAndLabels) {
  const nlohmann::json expected = testing::golden("ubc/expected.json");
  const PhotoTour set = open();
  EXPECT_EQ(set.patch_count(), expected["n_patches_read"]);
  EXPECT_EQ(set.sheet_count(), 2);
  EXPECT_EQ(std::vector(set.points().begin(), set.points().end()), expected["labels"].get<std::vector<int64_t>>());
  EXPECT_EQ(set.classes().size(), expected["n_classes"]);
  std::vector<uint8_t> patch(64 * 64);
  for (const auto& [number, crc] : expected["patch_crc32"].items()) {
    set.read(std::stoll(number), patch);
    EXPECT_EQ(::crc32(0, patch.data(), static_cast<uInt>(patch.size())), crc.get<uint64_t>()) << number;
  }
  expect_error([&] { set.read(300, patch); }, "[bug]");  // it is in the sheet, as padding
}

TEST_F(PhotoTourFolder, ClassesFollowTheIdsInAnyOrderAndWithGaps) {
  put_file(root_ / "info.txt", "900 0\n-5 0\n900 0\n7 0\n-5 0\n900 0\n");
  fs::remove(root_ / "patches0001.bmp");
  EXPECT_EQ(open().classes(), (std::vector<std::vector<int64_t>>{{0, 2, 5}, {1, 4}, {3}}));
  const auto warnings = testing::take_warnings();  // the sheet holds 250 patches more
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the 250 places behind the last of 6 patches are not blank"), std::string::npos);
}

TEST_F(PhotoTourFolder, SheetsMustFitTheLabels) {
  const std::string sheet = testing::golden_sheet(1, 300);
  fs::rename(root_ / "patches0001.bmp", root_ / "patches0002.bmp");
  refused("golden", "expected 2 sheets for the 300 lines of info.txt, found 2, and patches0001.bmp is missing");
  fs::remove(root_ / "patches0002.bmp");
  refused("golden", "expected 2 sheets for the 300 lines of info.txt, found 1, and patches0001.bmp is missing");

  put_file(root_ / "patches0001.bmp", sheet.substr(0, sheet.size() - 1));
  refused("patches0001.bmp", "expected 1048576 bytes of pixels, found 1048575 - truncated?");
  put_file(root_ / "patches0001.bmp", testing::encode_bmp(std::vector<uint8_t>(64 * 64), 64));
  refused("patches0001.bmp", "expected 1024 x 1024 pixels, found 64 x 64");
  put_file(root_ / "patches0001.bmp", "");
  refused("patches0001.bmp", "expected 'BM' first, found the end of the file");

  put_file(root_ / "patches0001.bmp", sheet);
  put_file(root_ / "patches0002.bmp", sheet);
  refused("info.txt", "expected 513 lines or more for 3 sheets of 256 patches, found 300");
}

// One label too many still fits into the last sheet, but on its padding.
TEST_F(PhotoTourFolder, ALabelWithoutAPatchIsRefused) {
  write_file_atomically(root_ / "info.txt", read_text(root_ / "info.txt") + "97 0 \n");
  expect_error([&] { open(); }, "info.txt:301", "blank padding", "patches0001.bmp");
}

TEST_F(PhotoTourFolder, SaysWhatIsMissing) {
  fs::remove(root_ / "info.txt");
  refused("golden", "no info.txt beside 2 sheets");
  fs::create_directory(root_ / "info.txt");
  refused("info.txt", "is a folder");
  expect_error([&] { PhotoTour::open(folder_ / "nowhere"); }, "nowhere", "cannot be listed: No such file");
  expect_error([&] { PhotoTour::open(folder_.path()); }, "no patches0000.bmp in it");
}

TEST_F(PhotoTourFolder, ChoosesAMatchList) {
  const std::string customary = "m50_100000_100000_0.txt";
  for (const char* name : {"m50_1000_1000_0.txt", "m50_500000_500000_0.txt", "m50_1000_2000_0.txt", "m50_x_x_0.txt"}) {
    put_file(root_ / name, "0 0 0 1 0 0\n");
  }
  EXPECT_EQ(open().files().match_lists.size(), 3u);
  EXPECT_EQ(open().match_list({}), root_ / customary);
  EXPECT_EQ(open().match_list("m50_1000_1000_0.txt"), root_ / "m50_1000_1000_0.txt");
  expect_error([&] { open().match_list("m50_7_7_0.txt"); }, "m50_7_7_0.txt: no such match list; there are:", customary);
  EXPECT_EQ(open().read_matches(root_ / customary).labels.size(), 40u);
  EXPECT_NE(testing::take_warnings().at(0).find("40 pairs, its name says 100000"), std::string::npos);

  fs::remove(root_ / customary);
  EXPECT_EQ(open().match_list({}), root_ / "m50_500000_500000_0.txt");
  for (const char* name : {"m50_1000_1000_0.txt", "m50_500000_500000_0.txt"}) fs::remove(root_ / name);
  expect_error([&] { open().match_list({}); }, "no match list (m50_*.txt)", "fetch " + customary);
  expect_error([&] { open().match_list("x.txt"); }, "x.txt: no such match list; there are: none");
}

TEST(PhotoTourSets, ArePublishedWithTheseCounts) {
  EXPECT_EQ(phototour_set_name(450'092), "liberty");
  EXPECT_EQ(phototour_set_name(450'912), "yosemite_harris");
  EXPECT_EQ(phototour_set_name(300), "");
  std::vector<int64_t> sheets;
  for (const PhotoTourSet& set : published_phototour_sets()) sheets.push_back(set.sheets());
  EXPECT_EQ(sheets, (std::vector<int64_t>{1759, 1829, 2475, 1483, 1271, 1762}));
}

}  // namespace
}  // namespace adasample
