// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/findings.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_finding;
using testing::TempFolder;

class CheckSequences : public ::testing::Test {
 protected:
  // The doctor does not open pictures: a word will do.
  void make(const std::string& name, int images) const {
    fs::create_directories(root_ / name);
    for (int n = 1; n <= images; ++n) {
      write_file_atomically(root_ / name / fmt::format("{}.ppm", n), fmt::format("picture {}", n));
      if (n > 1) write_file_atomically(root_ / name / fmt::format("H_1_{}", n), fmt::format("1 0 {} 0 1 0 0 0 1", n));
    }
  }
  std::string at(const std::string& file) const { return (root_ / file).string(); }
  TempFolder root_;
};

TEST_F(CheckSequences, SoundOnesAreCounted) {
  make("v_a", 6);
  make("i_b", 2);
  write_file_atomically(root_ / "v_a/notes.txt", "no picture");
  write_file_atomically(root_ / "v_a/7.txt", "no picture");
  fs::create_directories(root_ / ".git");
  const Diagnosis all = check_sequences(root_.path()), one = check_sequences(root_ / "v_a");
  EXPECT_EQ(all.kind, "homography sequences");
  EXPECT_TRUE(all.problems.empty()) << all.problems[0].what;
  EXPECT_EQ(all.inventory, (decltype(all.inventory){{"sequences", 2}, {"pictures", 8}, {"homographies", 6}}));
  EXPECT_TRUE(one.problems.empty()) << one.problems[0].what;
  EXPECT_EQ(one.inventory, (decltype(all.inventory){{"sequences", 1}, {"pictures", 6}, {"homographies", 5}}));
}

TEST_F(CheckSequences, FindsWhatIsMissingOrDamaged) {
  make("v_sound", 3);
  make("v_holes", 5);
  fs::remove(root_ / "v_holes/1.ppm");
  fs::remove(root_ / "v_holes/5.ppm");
  fs::remove(root_ / "v_holes/H_1_3");
  make("v_alone", 1);
  make("v_seven", 7);
  fs::remove(root_ / "v_seven/H_1_7");
  make("v_bad", 6);
  write_file_atomically(root_ / "v_bad/2.PNG", "a second picture 2");
  write_file_atomically(root_ / "v_bad/H_1_2", "");
  write_file_atomically(root_ / "v_bad/H_1_3", "1 2 3\n4 5 6\n7 8 9\n");
  write_file_atomically(root_ / "v_bad/H_1_4", "<html>");
  fs::remove(root_ / "v_bad/H_1_5");
  fs::create_directories(root_ / "v_bad/H_1_5");
  fs::create_directories(root_ / "v_empty");

  const std::vector<Finding> problems = check_sequences(root_.path()).problems;
  expect_finding(problems, at("v_holes/1.*"), "picture is missing", "unpack");
  expect_finding(problems, at("v_holes/5.*"), "picture is missing", "unpack");
  expect_finding(problems, at("v_holes/H_1_3"), "homography is missing", "unpack");
  expect_finding(problems, at("v_alone/2.*"), "picture is missing");
  expect_finding(problems, at("v_alone/H_1_2"), "homography is missing");
  expect_finding(problems, at("v_seven"), "expected pictures 1.* to 6.*, found also the numbers [7]", "rename");
  expect_finding(problems, at("v_bad/2.PNG"), "expected one picture 2, found also 2.ppm", "remove");
  expect_finding(problems, at("v_bad/H_1_2"), "found an empty file", "unpack");
  expect_finding(problems, at("v_bad/H_1_3:3"), "singular", "unpack");
  expect_finding(problems, at("v_bad/H_1_4:1"), "expected number 1 of 9, found '<html>'", "unpack");
  expect_finding(problems, at("v_bad/H_1_5"), "is a folder", "unpack");
  expect_finding(problems, at("v_empty"), "found neither", "--skip-bad");
  EXPECT_EQ(problems.size(), 12u);
}

TEST_F(CheckSequences, LooksLikeItsOwnAndNothingElse) {
  EXPECT_FALSE(looks_like_sequences(root_.path()));
  EXPECT_FALSE(looks_like_sequences(root_ / "none"));
  make("photos", 1);  // a numbered photograph makes no sequence
  EXPECT_FALSE(looks_like_sequences(root_.path()));
  make("v_a", 2);
  EXPECT_TRUE(looks_like_sequences(root_.path()));
  EXPECT_TRUE(looks_like_sequences(root_ / "v_a"));
  EXPECT_FALSE(looks_like_sequences(root_ / "photos"));
  EXPECT_FALSE(looks_like_sequences(root_ / "v_a/1.ppm"));
}

TEST_F(CheckSequences, FingerprintIsThatOfSortedSums) {
  make("v_b", 2);
  make("v_a", 2);
  write_file_atomically(root_ / "v_a/notes.txt", "not ours");
  std::string lines;
  for (const char* file : {"v_a/1.ppm", "v_a/2.ppm", "v_a/H_1_2", "v_b/1.ppm", "v_b/2.ppm", "v_b/H_1_2"}) {
    lines += fmt::format("{}  {}\n", sha256_of_file(root_ / file), file);
  }
  Sha256 sha;
  sha.update(lines);
  const std::string expected = sha.hex();
  EXPECT_EQ(sequences_fingerprint(root_.path()), expected);
  EXPECT_EQ(sequences_fingerprint(root_.path().string() + "/"), expected);
  fs::rename(root_ / "v_b", root_ / "v_c");
  EXPECT_NE(sequences_fingerprint(root_.path()), expected);
}

}  // namespace
}  // namespace adasample
