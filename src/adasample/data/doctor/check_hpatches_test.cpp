// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "adasample/data/hpatches/hpatches_sequences.h"
#include "tests/support/findings.h"
#include "tests/support/hpatches_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_finding;
using testing::make_sequence;
using testing::random_strip;
using testing::TempFolder;
using testing::write_strip;
namespace fs = std::filesystem;

const std::string kGolden = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/patches";

TEST(CheckHpatches, SetOfItsOwnIsHealthyAndSaysWhatWasNotCompared) {
  const Diagnosis diagnosis = check_hpatches(kGolden);
  EXPECT_EQ(diagnosis.kind, "set like HPatches");
  EXPECT_TRUE(diagnosis.problems.empty()) << diagnosis.problems[0].what;
  expect_finding(diagnosis.remarks, kGolden, "0 of 6 sequences have names of the release", "nothing");
  const decltype(diagnosis.inventory) expected = {
      {"sequences", 6}, {"i_ sequences", 3}, {"v_ sequences", 3}, {"strips", 96}, {"classes", 197}};
  EXPECT_EQ(diagnosis.inventory, expected);
}

TEST(CheckHpatches, FindsWhatIsWrongWithStrips) {
  const TempFolder root;
  for (const char* name : {"i_x", "i_y", "v_z"}) make_sequence(root.path(), name, 2);
  make_sequence(root.path(), "pond", 2);
  fs::remove(root / "i_x/e2.png");
  fs::remove(root / "i_x/t5.png");
  fs::resize_file(root / "i_x/h1.png", fs::file_size(root / "i_x/h1.png") - 40);
  write_strip(root / "i_x/h2.png", random_strip(1, 32, 64));
  write_strip(root / "i_x/h3.png", random_strip(2, 65, 100));
  write_strip(root / "i_x/h4.png", random_strip(3, 65, 195));
  fs::copy_file(root / "i_y/e1.png", root / "i_y/e3.png", fs::copy_options::overwrite_existing);
  fs::copy_file(root / "i_y/t1.png", root / "v_z/t1.png", fs::copy_options::overwrite_existing);
  fs::create_directories(root / "v_empty/ref.png");  // a folder, of all things
  fs::create_directories(root / "descriptors");
  write_file_atomically(root / "i_y/e1.rotjitter", "0.1\n");  // the release's extras are no strips

  const Diagnosis diagnosis = check_hpatches(root.path());
  const std::vector<Finding>& problems = diagnosis.problems;
  expect_finding(problems, "i_x", "2 are missing: e2.png, t5.png", "unpack");
  expect_finding(problems, "i_x/h1.png", "truncated?", "unpack");
  expect_finding(problems, "i_x/h2.png", "expected a strip of 65 pixels width, found 32");
  expect_finding(problems, "i_x/h3.png", "found 100 = 1 patches and 35 rows");
  expect_finding(problems, "i_x/h4.png", "expected 2 patches as in most strips of the sequence, found 3");
  expect_finding(problems, "i_y/e3.png", "has the same bytes as i_y/e1.png", "copy");
  expect_finding(problems, "v_z/t1.png", "has the same bytes as i_y/t1.png", "copy");
  expect_finding(problems, "v_empty", "expected 16 strips, 15 are missing");
  expect_finding(problems, "v_empty/ref.png", "is a folder, not a file");
  EXPECT_EQ(problems.size(), 9u);
  expect_finding(diagnosis.remarks, "pond", "neither i_", "rename");
  expect_finding(diagnosis.remarks, "descriptors", "no sequence and was passed over", "ref.png");
  EXPECT_EQ(diagnosis.remarks.size(), 3u);
}

TEST(CheckHpatches, ReleaseIsHeldAgainstItsNamesAndCounts) {
  const TempFolder root;
  make_sequence(root.path(), "i_troulos", 298);  // exact
  make_sequence(root.path(), "i_fenis", 547);    // 547 to 548
  make_sequence(root.path(), "v_dogman", 10);    // 590 to 593
  make_sequence(root.path(), "i_bologna", 344);  // 345
  make_sequence(root.path(), "v_porta", 1);      // i_porta

  const Diagnosis diagnosis = check_hpatches(root.path());
  EXPECT_EQ(diagnosis.kind, "HPatches release");
  EXPECT_TRUE(diagnosis.remarks.empty());
  expect_finding(diagnosis.problems, "v_dogman", "expected 590 to 593 patches as in the release, found 10", "older");
  expect_finding(diagnosis.problems, "i_bologna", "expected 345 patches as in the release, found 344");
  expect_finding(diagnosis.problems, "v_porta", "no name of the release, which has i_porta", "rename the folder");
  expect_finding(diagnosis.problems, root.path().string(), "112 of the release's 116 sequences are missing: i_ajunt",
                 "--allow-missing");
  EXPECT_EQ(diagnosis.problems.size(), 4u);
}

// `data sequences` keeps the names of the folders, which may be the release's; the patches are others.
TEST(CheckHpatches, WhatSequencesMadeIsNoRelease) {
  const TempFolder root;
  make_sequence(root.path(), "i_troulos", 2);
  make_sequence(root.path(), "v_dogman", 3);
  EXPECT_EQ(check_hpatches(root.path()).kind, "HPatches release");
  write_file_atomically(root / "sequences.json", "{}\n");
  const Diagnosis diagnosis = check_hpatches(root.path());
  EXPECT_EQ(diagnosis.kind, "set like HPatches");
  EXPECT_TRUE(diagnosis.problems.empty()) << diagnosis.problems[0].what;
  expect_finding(diagnosis.remarks, root.path().string(), "there is a sequences.json", "nothing");
  for (const char* strip : {"e5", "h5", "t5", "t4", "h1"})
    fs::remove(root / "v_dogman" / (std::string(strip) + ".png"));
  const std::vector<Finding> problems = check_hpatches(root.path()).problems;
  expect_finding(problems, "v_dogman", "expected 13 strips, 2 are missing: h1.png, t4.png");  // of five pictures
  EXPECT_EQ(problems.size(), 1u);
}

TEST(CheckHpatches, WholeReleaseMissesNothing) {
  const TempFolder root;
  for (const HpatchesCount& sequence : hpatches_release_sequences()) fs::create_directories(root / sequence.name);
  fs::create_directories(root / "i_extra");
  const Diagnosis diagnosis = check_hpatches(root.path());
  EXPECT_EQ(diagnosis.problems.size(), 116u + 2u);  // empty folders, and i_extra for its name too
  int unknown = 0;
  for (const Finding& finding : diagnosis.problems) {
    EXPECT_NE(finding.path, root.path().string()) << finding.what;
    unknown += finding.path == "i_extra" && finding.what == "the release has no sequence of this name" ? 1 : 0;
  }
  EXPECT_EQ(unknown, 1);
}

TEST(CheckHpatches, LooksLikeItsOwnAndNothingElse) {
  EXPECT_TRUE(looks_like_hpatches(kGolden));
  const TempFolder root;
  EXPECT_FALSE(looks_like_hpatches(root.path()));
  EXPECT_FALSE(looks_like_hpatches(root / "none"));
  fs::create_directories(root / "i_dome");  // a homography sequence
  for (const char* file : {"i_dome/1.ppm", "i_dome/2.ppm", "i_dome/H_1_2"}) write_file_atomically(root / file, "x");
  EXPECT_FALSE(looks_like_hpatches(root.path()));
  write_file_atomically(root / "i_dome/e1.png", "x");
  EXPECT_FALSE(looks_like_hpatches(root.path()));
  write_file_atomically(root / "i_dome/t4.png", "x");  // damaged, but no doubt what it was
  EXPECT_TRUE(looks_like_hpatches(root.path()));
}

// `cd tests/golden/hpatches/patches && LC_ALL=C sha256sum */*.png | sha256sum`
TEST(CheckHpatches, FingerprintIsThatOfCoreutils) {
  EXPECT_EQ(hpatches_fingerprint(kGolden), "0596c9f2068d4886e8d9a6f4e45ed257badc1a4ef3467039b9191423f64305b9");
}

TEST(CheckHpatches, FingerprintNoticesEveryByteAndName) {
  const TempFolder root;
  make_sequence(root.path(), "i_x", 1);
  const std::string before = hpatches_fingerprint(root.path());
  fs::rename(root / "i_x/e1.png", root / "moved");
  EXPECT_NE(hpatches_fingerprint(root.path()), before);
  fs::rename(root / "moved", root / "i_x/e1.png");
  EXPECT_EQ(hpatches_fingerprint(root.path()), before);
  fs::rename(root / "i_x", root / "i_y");
  EXPECT_NE(hpatches_fingerprint(root.path()), before);
}

}  // namespace
}  // namespace adasample
