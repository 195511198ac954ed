// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/descriptor_set.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "adasample/data/hpatches/hpatches.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

void expect_refused(const std::string& text, const std::string& where, const std::string& expected,
                    char delimiter = ',') {
  expect_error([&] { parse_descriptor_csv(text, "e1.csv", delimiter); }, "[descriptors] e1.csv" + where, expected);
}

TEST(DescriptorCsv, Numbers) {
  const DescriptorRows rows = parse_descriptor_csv("   0.10000,  -0.5,1e-3\r\n+2,3,4\n\n", "x");
  EXPECT_EQ(rows.rows, 2);
  EXPECT_EQ(rows.dimension, 3);
  EXPECT_EQ(rows.values, (std::vector<float>{0.1f, -0.5f, 1e-3f, 2, 3, 4}));
  EXPECT_EQ(parse_descriptor_csv("1;2\n3;4", "x", ';').values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(DescriptorCsv, BadRowsAreNamed) {
  expect_refused("", ":", "found an empty file");
  expect_refused("\n\n", ":", "found an empty file");
  expect_refused("1,2\n3,nan\n", ":2:", "a finite number, found 'nan'");
  expect_refused("1,2\n3,inf\n", ":2:", "a finite number, found 'inf'");
  expect_refused("1,2\n3,\n", ":2:", "a finite number, found ''");
  expect_refused("1,2\n3,1e16\n", ":2:", "at most 1e15, found '1e16'");
  expect_refused("1,2\n3,4,5\n", ":2:", "2 numbers as in the first row, found 3");
  expect_refused("1,2\n\n3,4\n", ":2:", "numbers between ',', found ''");
  expect_refused("1\n2\n", ":1:", "at least 2 numbers between ',', found '1' alone");
  expect_refused("1;2;3\n", ":1:", "between ',', found '1;2;3' - another --delimiter?");
  expect_refused("1,2,3\n", ":1:", "between ';'", ';');
  expect_refused("a,b\n1,2\n", ":1:", "a finite number, found 'a'");
}

class DescriptorFolder : public ::testing::Test {
 protected:
  DescriptorFolder() {
    for (const std::string name : {"i_x", "v_y"}) {
      std::filesystem::create_directories(root_ / name);
      for (size_t strip = 0; strip < kHpatchesStrips.size(); ++strip) {
        write(name, kHpatchesStrips[strip], std::to_string(strip) + ",1\n" + std::to_string(strip) + ",2\n");
      }
    }
  }
  void write(const std::string& name, const std::string& strip, const std::string& text) {
    std::ofstream(root_ / name / (strip + ".csv")) << text;
  }
  DescriptorSet read() { return read_descriptor_set(root_.path(), {"v_y", "i_x"}); }

  TempFolder root_;
};

TEST_F(DescriptorFolder, StripsByLevelAndImage) {
  const DescriptorSet set = read();
  EXPECT_EQ(set.dimension, 2);
  ASSERT_EQ(set.sequences.size(), 2u);
  const DescribedSequence& y = set.sequences[0];
  EXPECT_EQ(y.shape.name, "v_y");
  EXPECT_EQ(y.shape.patches, 2);
  EXPECT_EQ(y.shape.images, 6);
  for (size_t level = 0; level < 3; ++level) {
    EXPECT_EQ(y.row(level, 0, 1)[0], 0);  // the reference, whatever the level
    for (int image = 1; image < 6; ++image) {
      EXPECT_EQ(y.row(level, image, 1)[0], 5 * static_cast<float>(level) + static_cast<float>(image));
      EXPECT_EQ(y.row(level, image, 1)[1], 2);
    }
  }
  EXPECT_EQ(list_descriptors(root_.path()), (std::vector<std::string>{"i_x", "v_y"}));
  EXPECT_EQ(descriptor_files(root_.path(), {"i_x"}).size(), 16u);
}

TEST_F(DescriptorFolder, FewerPicturesWhereTheSetSaysSo) {
  for (const char* strip : {"e3", "e4", "e5", "h3", "h4", "h5", "t3", "t4", "t5"}) {
    std::filesystem::remove(root_ / "i_x" / (std::string(strip) + ".csv"));
  }
  expect_error([&] { read(); }, "i_x/e3.csv: is missing", "16 files: ref, e1");
  std::ofstream(root_ / kSequencesFile) << "{}";
  const DescriptorSet set = read();
  EXPECT_EQ(set.sequences[0].shape.images, 6);
  EXPECT_EQ(set.sequences[1].shape.images, 3);
  EXPECT_EQ(set.sequences[1].row(2, 2, 0)[0], 12);  // t2
}

TEST_F(DescriptorFolder, WhatIsMissingIsNamed) {
  write("i_x", "h4", "1,2\n");
  expect_error([&] { read(); }, "i_x/h4.csv: expected 2 rows as in ref.csv, found 1", "is a row missing?");
  write("i_x", "h4", "1,2,3\n1,2,3\n");
  expect_error([&] { read(); }, "i_x/h4.csv: expected 2 numbers a row as in ref.csv, found 3");
  std::filesystem::remove(root_ / "i_x/h4.csv");
  expect_error([&] { read(); }, "i_x/h4.csv: is missing");
}

// Also in a set with names of one's own, where the folder might be taken for none.
TEST_F(DescriptorFolder, WithoutItsReferenceASequenceIsListed) {
  std::filesystem::remove(root_ / "i_x/ref.csv");
  std::filesystem::create_directories(root_ / "boat");
  write("boat", "t5", "1,2\n");
  std::filesystem::create_directories(root_ / "logs");
  const std::vector<std::string> names = list_descriptors(root_.path());
  EXPECT_EQ(names, (std::vector<std::string>{"boat", "i_x", "v_y"}));
  expect_error([&] { read_descriptor_set(root_.path(), {"i_x"}); }, "i_x/ref.csv: is missing");
  expect_error([&] { read_descriptor_set(root_.path(), {"boat"}); }, "boat/ref.csv: is missing");
}

TEST_F(DescriptorFolder, OneDescriptorForAllSequences) {
  for (const char* strip : kHpatchesStrips) write("i_x", strip, "1,2,3\n");
  expect_error([&] { read(); }, "i_x/ref.csv: expected 2 numbers a row as in v_y, found 3");
}

TEST(DescriptorFolders, EmptyOrAbsent) {
  const TempFolder root;
  expect_error([&] { list_descriptors(root.path()); }, "expected folders with ref.csv");
  expect_error([&] { list_descriptors(root / "none"); }, "none: cannot be listed");
}

// Describes a patch by its mean and its first pixel.
class ToyDescriptor : public Descriptor {
 public:
  std::string name() const override { return "toy"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const auto area = static_cast<size_t>(size * size);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      float sum = 0;
      for (size_t p = 0; p < area; ++p) sum += patches[i * area + p];
      out[2 * i] = sum / static_cast<float>(area);
      out[2 * i + 1] = patches[i * area];
    }
  }
};

TEST(DescribeHpatches, EveryPatchOfEveryStrip) {
  const std::string root = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/patches";
  ToyDescriptor toy;
  double seconds = -1;
  const DescriptorSet set = describe_hpatches(root, {"v_ee", "i_aa"}, toy, 65, seconds);
  EXPECT_GE(seconds, 0);
  ASSERT_EQ(set.sequences.size(), 2u);
  const DescribedSequence& aa = set.sequences[1];
  const HpatchesSequence pixels = load_hpatches(root, "i_aa");
  EXPECT_EQ(aa.shape.patches, 40);
  EXPECT_EQ(aa.row(1, 3, 7)[1], static_cast<float>(pixels.patch(8, 7)[0]));  // strip 8 is h3
  EXPECT_EQ(aa.row(2, 0, 39)[1], static_cast<float>(pixels.patch(0, 39)[0]));

  ASSERT_EQ(aa.shape.textured.size(), 40u);
  for (size_t i = 0; i < 40; ++i) {
    const auto patch = pixels.patch(0, static_cast<int64_t>(i));
    double mean = 0, squares = 0;
    for (const uint8_t p : patch) mean += p / static_cast<double>(patch.size());
    for (const uint8_t p : patch) squares += (p - mean) * (p - mean) / static_cast<double>(patch.size());
    EXPECT_EQ(aa.shape.textured[i] != 0, std::sqrt(squares) > 10) << i;
  }
}

}  // namespace
}  // namespace adasample
