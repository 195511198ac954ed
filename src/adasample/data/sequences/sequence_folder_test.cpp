// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/sequence_folder.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/sequence_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

class SequenceFolder : public ::testing::Test {
 protected:
  // A sequence of tiny pictures.
  fs::path make(const std::string& name, int images) const {
    const fs::path folder = folder_ / name;
    fs::create_directories(folder);
    for (int n = 1; n <= images; ++n) {
      write_pgm(folder / fmt::format("{}.pgm", n), GrayImage(16, 12, static_cast<float>(n)));
      if (n > 1) write_file_atomically(folder / fmt::format("H_1_{}", n), fmt::format("1 0 {} 0 1 0 0 0 1", n));
    }
    return folder;
  }
  void refuses(const fs::path& folder, const std::string& where, const std::string& why) const {
    expect_error([&] { read_sequence(find_sequence(folder)); }, where, why);
  }
  TempFolder folder_;
};

TEST_F(SequenceFolder, PicturesAndHomographiesGoTogether) {
  for (const int images : {2, 6}) {
    const fs::path folder = make(fmt::format("v_{}", images), images);
    write_pgm(folder / "notes.pgm", GrayImage(2, 2));  // no number: not ours
    const SequenceFiles files = find_sequence(folder);
    EXPECT_EQ(files.name, fmt::format("v_{}", images));
    const Sequence sequence = read_sequence(files);
    ASSERT_EQ(sequence.images.size(), static_cast<size_t>(images));
    ASSERT_EQ(sequence.target_from_ref.size(), static_cast<size_t>(images) - 1);
    for (int n = 1; n <= images; ++n) {
      EXPECT_EQ(sequence.images[static_cast<size_t>(n - 1)]->level(0, 0).image.at(3, 3), static_cast<float>(n));
    }
    for (int n = 2; n <= images; ++n) {
      EXPECT_NEAR(sequence.target_from_ref[static_cast<size_t>(n - 2)]({0, 0}).x, n, 1e-12);
    }
  }
}

TEST_F(SequenceFolder, FingerprintFollowsEveryFile) {
  const fs::path folder = make("v_a", 3);
  const auto fingerprint = [&] { return read_sequence(find_sequence(folder)).sha256; };
  const std::string before = fingerprint();
  EXPECT_EQ(before, fingerprint());
  write_file_atomically(folder / "H_1_3", "1 0 9 0 1 0 0 0 1");
  const std::string other_homography = fingerprint();
  EXPECT_NE(before, other_homography);
  write_pgm(folder / "2.pgm", GrayImage(16, 12, 77.0f));
  EXPECT_NE(other_homography, fingerprint());
}

TEST_F(SequenceFolder, OneSequenceOrAFolderOfThem) {
  const fs::path b = make("set/v_b", 2), a = make("set/i_a", 2);
  fs::create_directory(folder_ / "set" / ".hidden");
  EXPECT_EQ(sequence_folders(folder_ / "set"), (std::vector<fs::path>{a, b}));
  EXPECT_EQ(sequence_folders(a), std::vector<fs::path>{a});
  fs::create_directory(b / "thumbnails");
  EXPECT_EQ(sequence_folders(b), std::vector<fs::path>{b});
  EXPECT_EQ(find_sequence(fs::path(a.string() + "/")).name, "i_a");
  expect_error([&] { sequence_folders(folder_ / "absent"); }, "[sequences]", "absent", "cannot be listed");
}

TEST_F(SequenceFolder, WhatIsMissingIsNamed) {
  const fs::path gap = make("gap", 4);
  fs::remove(gap / "3.pgm");
  refuses(gap, "gap: expected pictures 1.* to 6.*", "found the numbers [1, 2, 4]");
  const fs::path no_reference = make("no_reference", 3);
  fs::remove(no_reference / "1.pgm");
  refuses(no_reference, "no_reference: expected pictures 1.*", "found the numbers [2, 3]");
  refuses(make("alone", 1), "alone: expected pictures", "found the numbers [1]");
  refuses(make("seven", 7), "seven: expected pictures", "[1, 2, 3, 4, 5, 6, 7]");
  const fs::path twice = make("twice", 3);
  write_pgm(twice / "02.pgm", GrayImage(4, 4));
  refuses(twice, "twice: expected one picture 2", "02.pgm and 2.pgm");
  const fs::path no_homography = make("no_homography", 3);
  fs::remove(no_homography / "H_1_3");
  refuses(no_homography, "H_1_3: expected this homography from picture 1 to 3.pgm", "no such file");
  const fs::path no_picture = make("no_picture", 3);
  fs::remove(no_picture / "3.pgm");
  refuses(no_picture, "H_1_3: expected a picture 3.*", "found none");
}

TEST_F(SequenceFolder, WhatIsDamagedIsNamed) {
  const fs::path picture = make("picture", 3);
  write_file_atomically(picture / "2.pgm", "P5 16 12 255\nshort");
  refuses(picture, "2.pgm", "[pgm]");
  const fs::path empty = make("empty", 3);
  write_file_atomically(empty / "2.pgm", "");
  refuses(empty, "2.pgm", "the file is empty");
  const fs::path singular = make("singular", 3);
  write_file_atomically(singular / "H_1_2", "1 0 0\n2 0 0\n0 0 1\n");
  refuses(singular, "H_1_2:3: expected a matrix with an inverse", "singular");
  const fs::path text = make("text", 3);
  write_file_atomically(text / "H_1_3", "1 0 0\n0 one 0\n0 0 1\n");
  refuses(text, "H_1_3:2: expected number 5 of 9", "'one'");
}

TEST_F(SequenceFolder, MirroringIsRefused) {
  const fs::path folder = make("mirror", 3);  // 16 x 12
  write_file_atomically(folder / "H_1_3", "-1 0 15  0 1 0  0 0 1");
  refuses(folder, "[sequences] " + (folder / "H_1_3").string() + ": expected a homography that keeps the orientation",
          "mirrors");
  write_file_atomically(folder / "H_1_3", "-1 0 0  0 1 0  0 0 -1");  // the same, whatever the factor
  refuses(folder, "H_1_3", "mirrors");
  write_file_atomically(folder / "H_1_3", "1 0 0  0 1 0  1 0 -7.5");  // the horizon runs through the centre
  refuses(folder, "H_1_3", "mirrors");
  for (const char* sound : {"-1 0 15  0 -1 11  0 0 1", "-2 0 0  0 -2 0  0 0 -2", "1 0 0  0 1 0  1 0 -9"}) {
    write_file_atomically(folder / "H_1_3", sound);
    EXPECT_NO_THROW(read_sequence(find_sequence(folder))) << sound;
  }
}

}  // namespace
}  // namespace adasample
