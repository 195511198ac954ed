// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/sequences/sequence_matching.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/parallel.h"
#include "tests/support/expect_error.h"
#include "tests/support/sequence_set.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

// The patch itself, 8 x 8 means of it, without mean and of unit length; or, to be worse than that, its first pixel.
class WholePatch : public Descriptor {
 public:
  explicit WholePatch(bool good) : good_(good) {}
  std::string name() const override { return "pixels"; }
  int dimension() const override { return 64; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const auto side = static_cast<size_t>(size), block = side / 8;
    for (size_t n = 0; n < static_cast<size_t>(count); ++n) {
      const std::span<const uint8_t> patch = patches.subspan(n * side * side, side * side);
      const std::span<float> row = out.subspan(n * 64, 64);
      std::fill(row.begin(), row.end(), 0.0f);
      if (!good_) {
        row[0] = patch[0];
        continue;
      }
      for (size_t i = 0; i < patch.size(); ++i) row[i / side / block * 8 + i % side / block] += patch[i];
      float mean = 0, norm = 0;
      for (const float v : row) mean += v / 64;
      for (float& v : row) norm += (v - mean) * (v - mean);
      for (float& v : row) v = (v - mean) / std::sqrt(norm + 1e-6f);
    }
  }

 private:
  bool good_;
};

class SequenceMatching : public ::testing::Test {
 protected:
  SequenceMatching() {
    testing::write_small_sequence(folder_ / "v_blobs");
    testing::write_small_sequence(folder_ / "i_blobs");
  }
  std::vector<MatchedSequence> match(bool good, const FeatureOptions& options = {},
                                     const HomographyEstimator& estimate = nullptr) {
    WholePatch descriptor(good);
    double seconds = 0;
    return match_sequences(folder_.path(), descriptor, estimate, options, seconds);
  }
  testing::TempFolder folder_;
};

TEST_F(SequenceMatching, FindsThePlaneAgain) {
  const std::vector<MatchedSequence> good = match(true), bad = match(false);
  ASSERT_EQ(good.size(), 2u);
  EXPECT_EQ(good[0].name, "i_blobs");
  ASSERT_EQ(good[0].pairs.size(), 2u);
  EXPECT_EQ(good[0].keypoints, bad[0].keypoints);  // which keypoints there are does not depend on the descriptor
  for (size_t i = 0; i < 2; ++i) {
    const PlaneScore &one = good[0].pairs[i], &other = bad[0].pairs[i];
    EXPECT_GT(one.matches, 30) << i;
    EXPECT_GT(one.accuracy[2], 0.7) << i;
    EXPECT_GT(one.matching_score, 0.5) << i;
    EXPECT_LT(other.accuracy[2], 0.3) << i;
    EXPECT_EQ(one.shown_ref, other.shown_ref) << i;
    for (size_t t = 1; t < one.accuracy.size(); ++t) EXPECT_GE(one.accuracy[t], one.accuracy[t - 1]);
  }
}

TEST_F(SequenceMatching, CapDetectorsAndThreads) {
  const std::vector<MatchedSequence> few = match(true, {.max_keypoints = 20});
  for (const int64_t keypoints : few[0].keypoints) EXPECT_EQ(keypoints, 20);
  EXPECT_LE(few[0].pairs[0].matches, 20);
  EXPECT_NE(match(true, {.detector = "harris"})[0].keypoints, match(true)[0].keypoints);
  const int before = thread_count();
  set_thread_count(1);
  const auto one = matching_json(match(true), {});
  set_thread_count(3);
  EXPECT_EQ(one, matching_json(match(true), {}));
  set_thread_count(before);
}

TEST_F(SequenceMatching, FiguresAreMeansOverPairs) {
  int calls = 0;  // the truth for every first target, something else for the second
  const auto estimate = [&](auto, auto) {
    return std::optional(calls++ % 2 == 0 ? testing::small_homographies()[0] : Homography());
  };
  const std::vector<MatchedSequence> matched = match(true, {}, estimate);
  const nlohmann::ordered_json json = matching_json(matched, {});
  EXPECT_EQ(json["protocol"], "sequences");
  EXPECT_TRUE(json["left_out"].empty());
  EXPECT_EQ(json["homography"]["1"], 0.5);
  EXPECT_EQ(json["sequences"]["v_blobs"]["pairs"]["2"]["corner_error"], 0.0);
  EXPECT_EQ(json["sequences"]["v_blobs"]["pairs"]["3"]["homography"]["5"], 0.0);
  const auto& pairs = matched[1].pairs;
  EXPECT_DOUBLE_EQ(json["sequences"]["v_blobs"]["mma"]["3"].get<double>(),
                   (pairs[0].accuracy[2] + pairs[1].accuracy[2]) / 2);
  EXPECT_DOUBLE_EQ(json["mma"]["3"].get<double>(), json["per"]["v_"]["mma"]["3"].get<double>());
  const std::string table = matching_table(matched);
  for (const char* part : {"v_blobs", "viewpoint", "light", "all ", "50.00"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  }
}

TEST_F(SequenceMatching, SaysWhatIsLeftOut) {
  const std::vector<MatchedSequence> matched = match(true);
  const nlohmann::ordered_json json = matching_json(matched, {});
  EXPECT_TRUE(json["homography"].is_null());
  EXPECT_EQ(json["left_out"].size(), 1u);
  EXPECT_NE(matching_table(matched).find("without OpenCV"), std::string::npos);
}

TEST_F(SequenceMatching, BadInput) {
  expect_error([&] { match(true, {.detector = "surf"}); }, "surf", "dog");
  expect_error([&] { match(true, {.max_keypoints = 3}); }, "max_keypoints = 3");
  expect_error([&] { match(true, {.region_factor = 0}); }, "region_factor = 0");
  expect_error([&] { match(true, {.size = 4}); }, "size = 4");
  std::filesystem::remove(folder_ / "v_blobs/H_1_3");
  expect_error([&] { match(true); }, "H_1_3", "no such file");
}

TEST_F(SequenceMatching, PicturesWithoutKeypointsScoreZero) {
  for (const char* name : {"i_blobs/2.pgm", "v_blobs/2.pgm"}) write_pgm(folder_ / name, GrayImage(64, 48, 100.0f));
  const std::vector<MatchedSequence> matched = match(true);
  EXPECT_EQ(matched[0].keypoints[1], 0);
  EXPECT_EQ(matched[0].pairs[0].matches, 0);
  EXPECT_EQ(matched[0].pairs[0].accuracy[9], 0);
  EXPECT_GT(matched[0].pairs[1].matches, 0);
}

}  // namespace
}  // namespace adasample
