// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/phototour/brown_revisited.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/base/text.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::golden;

struct LabelledRows {
  std::vector<int64_t> points, photographs;
  std::vector<double> values;
  int dimension = 0;
};

LabelledRows golden_rows(const std::string& name) {
  const std::string text = read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/brown_revisited/" + name);
  LabelledRows rows;
  TextReader reader(text, "golden", name);
  reader.next();  // label,img,d0,..
  while (reader.next()) {
    rows.dimension = static_cast<int>(reader.fields(',').size()) - 2;
    rows.points.push_back(reader.number<int64_t>(0, "a label"));
    rows.photographs.push_back(reader.number<int64_t>(1, "a photograph"));
    for (size_t i = 2; i < reader.fields(',').size(); ++i) rows.values.push_back(reader.number<double>(i, "a number"));
  }
  return rows;
}

// The rows of one photograph, scored.
PhotographScore score(const LabelledRows& rows, int64_t photograph) {
  std::vector<int64_t> points;
  std::vector<double> values;
  for (size_t i = 0; i < rows.points.size(); ++i) {
    if (rows.photographs[i] != photograph) continue;
    points.push_back(rows.points[i]);
    const auto row = rows.values.begin() + static_cast<int64_t>(i) * rows.dimension;
    values.insert(values.end(), row, row + rows.dimension);
  }
  return score_photograph(points, values, rows.dimension).value();
}

TEST(BrownRevisited, GoldenFiguresOfThePublishedProgram) {
  const auto expected = golden("brown_revisited/expected.json");
  for (const char* name : {"small_2img", "small_1img_ties"}) {
    SCOPED_TRACE(name);
    const LabelledRows rows = golden_rows(std::string(name) + ".csv");
    const std::vector<double> intended = expected[name]["intended_per_image_AP"];
    double published = 0;
    for (size_t i = 0; i < intended.size(); ++i) {
      const PhotographScore one = score(rows, static_cast<int64_t>(i));
      EXPECT_NEAR(one.intended.value(), intended[i], 1e-12);
      published += one.published / static_cast<double>(intended.size());
    }
    EXPECT_NEAR(published, expected[name]["official_mAP"].get<double>(), 1e-12);
  }
}

// The set of tests/golden/brown_revisited/made.py: photographs 5, 2 and 9 of 1100, 200 and 60 patches; the last has no
// two patches of one point. Patch i is described by its number, so that its pixels need only carry that.
constexpr int64_t kPatches = 1360;
int64_t made_point(int64_t i) { return i < 1100 ? i * 37 % 400 : 400 + i % 70; }

class MadeDescriptor : public Descriptor {
 public:
  std::string name() const override { return "made"; }
  int dimension() const override { return 4; }
  void describe(std::span<const uint8_t> patches, int64_t count, int, std::span<float> out) override {
    largest = std::max(largest, count);
    for (size_t k = 0; k < static_cast<size_t>(count); ++k) {
      const int64_t i = patches[4 * k] + 256 * patches[4 * k + 1];
      for (int64_t d = 0; d < 4; ++d) {
        out[4 * k + static_cast<size_t>(d)] =
            static_cast<float>(4 * (made_point(i) * (17 + 13 * d) % (101 + 2 * d)) + i * (29 + 7 * d) % 67);
      }
    }
  }
  int64_t largest = 0;
};

const PatchSource kNumbers = {2, [](int64_t index, std::span<uint8_t> out) {
                                out[0] = static_cast<uint8_t>(index % 256);
                                out[1] = static_cast<uint8_t>(index / 256);
                              }};

TEST(BrownRevisited, AWholeSetPhotographByPhotograph) {
  std::vector<int64_t> points, photographs;
  for (int64_t i = 0; i < kPatches; ++i) {
    points.push_back(made_point(i));
    photographs.push_back(i < 1100 ? 5 : i < 1300 ? 2 : 9);
  }
  MadeDescriptor descriptor;
  double seconds = 0;
  const BrownRevisited result = evaluate_brown_revisited(points, photographs, rows_by(kNumbers, descriptor, seconds));
  EXPECT_EQ(descriptor.largest, kPatches);
  const auto expected = golden("brown_revisited/expected.json")["made"];
  ASSERT_EQ(result.photographs.size(), 2u);
  EXPECT_EQ(result.without_pairs, 1);
  double published = 0, intended = 0;
  for (const PhotographScore& one : result.photographs) {
    const auto& figures = expected[std::to_string(one.photograph)];
    EXPECT_NEAR(one.published, figures["published"].get<double>(), 1e-12) << one.photograph;
    EXPECT_NEAR(one.intended.value(), figures["intended"].get<double>(), 1e-12) << one.photograph;
    published += one.published / 2;
    intended += *one.intended / 2;
  }
  EXPECT_NEAR(result.published, published, 1e-15);
  EXPECT_NEAR(result.intended, intended, 1e-15);
  EXPECT_EQ(result.photographs[1].patches, 1100);
}

TEST(BrownRevisited, Edges) {
  const std::vector<double> line = {0, 1, 5, 6};
  // 0 and 1 of one point, 5 and 6 of another: every match is right.
  EXPECT_EQ(score_photograph(std::vector<int64_t>{7, 7, 8, 8}, line, 1)->intended, 1.0);
  // As published, patch 0 stands in for all: anchor 0 is at distance 0 from itself, its match "wrong" at the best
  // score.
  EXPECT_LT(score_photograph(std::vector<int64_t>{7, 7, 8, 8}, line, 1)->published, 1.0);
  EXPECT_FALSE(score_photograph(std::vector<int64_t>{1, 2, 3, 4}, line, 1));
  EXPECT_FALSE(score_photograph(std::vector<int64_t>{1, 1, 1, 1}, line, 1)->intended);
  // Everything alike: the ratio 0 / 0 counts as 1, and d+ <= d- holds.
  EXPECT_EQ(score_photograph(std::vector<int64_t>{7, 7, 8, 8}, std::vector<double>(4), 1)->intended, 1.0);

  MadeDescriptor descriptor;
  double seconds = 0;
  const PatchRows rows = rows_by(kNumbers, descriptor, seconds);
  const std::vector<int64_t> three = {1, 2, 3}, two = {1, 1};
  expect_error([&] { evaluate_brown_revisited(three, three, rows); }, "none of 3 photographs");
  expect_error([&] { evaluate_brown_revisited(three, two, rows); }, "3 patches, found 2");
}

}  // namespace
}  // namespace adasample
