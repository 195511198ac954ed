// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/phototour_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::golden_sheet;
using testing::golden_ubc_text;
using testing::put_file;

class CheckPhotoTour : public ::testing::Test {
 protected:
  // The golden set, its list under the name that its 40 lines ask for, and what a whole set has beside.
  CheckPhotoTour() {
    testing::write_golden_set(root_);
    put_file(root_ / "interest.txt", times("3 1.5 2.5 0 1\n", 300));
    put_list(100000, times(pairs_, 2500));
  }
  static std::string times(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  }
  void put_list(int size, const std::string& text) const {
    put_file(root_ / ("m50_" + std::to_string(size) + "_" + std::to_string(size) + "_0.txt"), text);
  }
  // Exactly one problem, with these parts of path and text.
  void expect_problem(const std::string& path, const std::string& what) const {
    const Diagnosis found = check_phototour(root_);
    ASSERT_EQ(found.problems.size(), 1u) << all(found.problems);
    expect_in(found.problems, path, what);
  }
  static void expect_in(const std::vector<Finding>& findings, const std::string& path, const std::string& what) {
    const bool there = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      EXPECT_FALSE(finding.mend.empty());
      return finding.path.ends_with(path) && finding.what.find(what) != std::string::npos;
    });
    EXPECT_TRUE(there) << path << ": " << what << " is not among\n" << all(findings);
  }
  static std::string all(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) text += finding.path + ": " + finding.what + "\n";
    return text;
  }

  testing::TempFolder folder_;
  fs::path root_ = folder_ / "golden";
  std::string pairs_ = golden_ubc_text("m50_100000_100000_0.txt");
};

TEST_F(CheckPhotoTour, AWholeSetHasNoProblem) {
  const Diagnosis found = check_phototour(root_);
  EXPECT_TRUE(found.problems.empty()) << all(found.problems);
  EXPECT_EQ(found.kind, "PhotoTour set");
  const std::vector<std::pair<std::string, int64_t>> inventory = {
      {"sheets", 2}, {"patches", 300}, {"classes", 97}, {"match lists", 1}};
  EXPECT_EQ(found.inventory, inventory);
  ASSERT_EQ(found.remarks.size(), 2u) << all(found.remarks);
  expect_in(found.remarks, "info.txt", "300 patches: none of the published sets");
  expect_in(found.remarks, "golden", "no match lists of 1000, 2000, 5000, 10000, 20000, 50000, 200000, 500000 pairs");
}

TEST_F(CheckPhotoTour, NamesMissingSheets) {
  fs::remove(root_ / "patches0001.bmp");
  expect_problem("golden", "patches0001.bmp is missing");
  put_file(root_ / "patches0009.bmp", golden_sheet(1, 300));
  expect_problem("golden", "patches0001.bmp to patches0008.bmp are missing: 8 sheets");
}

TEST_F(CheckPhotoTour, LooksAtEverySheet) {
  const std::string sheet = golden_sheet(1, 300);
  put_file(root_ / "patches0001.bmp", sheet.substr(0, 5000));
  expect_problem("patches0001.bmp", "expected 1048576 bytes of pixels, found 3922 - truncated?");
  put_file(root_ / "patches0001.bmp", sheet + "x");
  expect_problem("patches0001.bmp", "expected 1049654 bytes, found 1049655");
  put_file(root_ / "patches0001.bmp", testing::encode_bmp(std::vector<uint8_t>(512 * 512), 512));
  expect_problem("patches0001.bmp", "expected 1024 x 1024 pixels, found 512 x 512");
  put_file(root_ / "patches0001.bmp", read_text(root_ / "patches0000.bmp"));
  expect_problem("patches0001.bmp", "the same bytes as patches0000.bmp");
  put_file(root_ / "patches0001.bmp", sheet);
  fs::rename(root_ / "patches0000.bmp", root_ / "patches0.bmp");
  expect_problem("patches0.bmp", "expected the name patches0000.bmp");
}

TEST_F(CheckPhotoTour, RemarksOnPaddingThatIsNotBlank) {
  put_file(root_ / "patches0001.bmp", golden_sheet(1, 301));
  const Diagnosis found = check_phototour(root_);
  EXPECT_TRUE(found.problems.empty());
  expect_in(found.remarks, "patches0001.bmp", "the 212 places behind the last patch are not blank");
}

TEST_F(CheckPhotoTour, ComparesInfoWithSheetsAndPublishedSets) {
  put_file(root_ / "info.txt", times("0 0\n", 100) + times("1 0\n", 150));
  fs::remove(root_ / "m50_100000_100000_0.txt");
  fs::remove(root_ / "interest.txt");
  const Diagnosis few = check_phototour(root_);
  EXPECT_EQ(few.problems.size(), 2u) << all(few.problems);
  expect_in(few.problems, "info.txt", "expected 257 lines or more for 2 sheets, found 250");
  expect_in(few.problems, "m50_100000_100000_0.txt", "is missing");
  expect_in(few.remarks, "interest.txt", "is missing");

  put_file(root_ / "info.txt", "0 0\n1");
  expect_in(check_phototour(root_).problems, "info.txt:2", "expected 2 fields as in line 1, found 1");
  put_file(root_ / "info.txt", times("0 0\n", 299) + "1 0\n");
  expect_in(check_phototour(root_).remarks, "info.txt", "1 points have a single patch");

  for (int i = 0; i < 1271; ++i) put_file(root_ / ("patches" + std::to_string(10000 + i).substr(1) + ".bmp"), "");
  put_file(root_ / "info.txt", times("0 0\n", 325294));
  expect_in(check_phototour(root_).problems, "info.txt",
            "expected 325295 lines, as 1271 sheets are those of notredame_harris, found 325294");
  put_file(root_ / "info.txt", times("0 0\n", 325295));
  EXPECT_EQ(check_phototour(root_).kind, "PhotoTour set notredame_harris");
}

TEST_F(CheckPhotoTour, WorksWithoutLabels) {
  for (const char* name : {"info.txt", "interest.txt", "m50_100000_100000_0.txt"}) fs::remove(root_ / name);
  fs::rename(root_ / "patches0001.bmp", root_ / "patches0300.bmp");
  const Diagnosis found = check_phototour(root_);
  EXPECT_EQ(found.problems.size(), 3u) << all(found.problems);
  expect_in(found.problems, "info.txt", "is missing: without labels there are no classes");
  expect_in(found.problems, "golden", "patches0001.bmp to patches0299.bmp are missing: 299 sheets");
  expect_in(found.problems, "m50_100000_100000_0.txt", "is missing");
  expect_in(found.remarks, "golden", "2 sheets: none of the published sets is complete with so many");
  EXPECT_EQ(found.inventory.front(), (std::pair<std::string, int64_t>{"sheets", 2}));
}

TEST_F(CheckPhotoTour, ComparesListsWithNameAndLabels) {
  put_list(1000, times(pairs_, 24));
  expect_problem("m50_1000_1000_0.txt", "expected 1000 lines, as its name says, found 960");
  put_list(1000, times("0 0 0 1 0 0\n", 1000));
  expect_problem("m50_1000_1000_0.txt", "expected as many matches as others, found 1000 and 0");
  put_list(1000, times("0 0 0 1 0 0\n", 499) + times("0 0 0 4 1 0\n", 499) + "0 5 0 1 6 0\n0 7 0 299 7 0\n");
  expect_problem("m50_1000_1000_0.txt:999", "2 pairs are labelled otherwise than info.txt says");
  put_list(1000, "0 0 0 1 0 0\n0 0 0 300 0 0\n");
  expect_problem("m50_1000_1000_0.txt:2", "expected a patch number below 300, found 300");
  put_list(1000, "");
  expect_problem("m50_1000_1000_0.txt", "found none - truncated download?");
}

TEST_F(CheckPhotoTour, ComparesInterestWithInfo) {
  put_file(root_ / "interest.txt", times("3 1 2 0 1\n", 299));
  expect_problem("interest.txt", "expected 300 lines, as info.txt has, found 299");
  put_file(root_ / "interest.txt", "photo7 1 2\n");
  expect_problem("interest.txt:1", "expected an image id, found 'photo7'");
}

TEST_F(CheckPhotoTour, FingerprintIsThatOfTheBytes) {
  Sha256 hash;
  for (const char* name :
       {"info.txt", "interest.txt", "m50_100000_100000_0.txt", "patches0000.bmp", "patches0001.bmp"}) {
    hash.update(sha256_of_file(root_ / name) + "  " + name + "\n");
  }
  const std::string complete = phototour_fingerprint(root_);
  EXPECT_EQ(complete, hash.hex());
  fs::remove(root_ / "m50_100000_100000_0.txt");
  EXPECT_NE(phototour_fingerprint(root_), complete);
}

TEST_F(CheckPhotoTour, KnowsASetWhenItSeesOne) {
  EXPECT_TRUE(looks_like_phototour(root_));
  EXPECT_FALSE(looks_like_phototour(folder_.path()));
  EXPECT_FALSE(looks_like_phototour(root_ / "info.txt"));
  EXPECT_FALSE(looks_like_phototour(folder_ / "nowhere"));
}

}  // namespace
}  // namespace adasample
