// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/match_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "tests/support/opencv.h"

namespace adasample {
namespace {

constexpr size_t kPictures = 7, kPoints = 80;

// Pictures of one plane, each moved by its number; the same point has nearly the same descriptor everywhere.
DescribedPicture picture(size_t number) {
  DescribedPicture made{.width = 600, .height = 600, .keypoints = {}, .dimension = 128, .descriptors = {}};
  RngStream points(RngKey(1, Draw::kPairs)), noise(RngKey(2, Draw::kPairs).at(number));
  for (size_t i = 0; i < kPoints; ++i) {
    const double x = points.uniform(100, 500), y = points.uniform(100, 500);
    made.keypoints.push_back({.x = x + 10.0 * static_cast<double>(number), .y = y, .sigma = 2});
    std::array<double, 128> row;
    double norm = 0;
    for (double& v : row) {
      v = points.normal() + 0.05 * noise.normal();
      norm += v * v;
    }
    for (const double v : row) made.descriptors.push_back(static_cast<float>(v / std::sqrt(norm)));
  }
  return made;
}

struct Counted {
  PairSource source;
  std::shared_ptr<std::map<size_t, int>> reads = std::make_shared<std::map<size_t, int>>();

  Counted() {
    for (size_t i = 0; i < kPictures; ++i) source.names.push_back(std::to_string(i));
    source.cameras.resize(kPictures);
    source.features = [reads = reads](size_t i) {
      ++(*reads)[i];
      ADA_CHECK(i != 3, "[test] picture 3 is gone");
      return picture(i);
    };
  }
};

std::map<ImagePair, MatchedPair> matched(const PairSource& source, std::vector<ImagePair> pairs,
                                         const MatchPairsOptions& options, MatchPairsReport& report) {
  std::map<ImagePair, MatchedPair> all;
  report = match_pairs(
      source, std::move(pairs), options, [&](const MatchedPair& pair) { all[pair.pair] = pair; }, [] {});
  return all;
}

TEST(MatchPairs, EveryPairOnceAndABadPictureIsTold) {
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry needs OpenCV";
  Counted counted;
  MatchPairsReport report;
  const auto all = matched(counted.source, all_pairs(kPictures), {}, report);
  EXPECT_EQ(all.size(), 15u) << "pairs of the six that can be read";
  EXPECT_EQ(report.pairs, 15);
  EXPECT_EQ(report.verified, 15);
  EXPECT_EQ(report.complaints, std::vector<std::string>{"[test] picture 3 is gone"});
  for (const auto& [pair, found] : all) {
    EXPECT_NE(pair.first, 3u);
    EXPECT_GE(found.matches.size(), 78u);
    EXPECT_EQ(found.view.kind, TwoViewKind::kPlanarOrPanoramic) << "a shift";
    EXPECT_GE(found.view.inliers.size(), 78u);
    for (const RatedMatch& rated : found.matches) EXPECT_EQ(rated.match.first, rated.match.second);
  }
  for (const auto& [number, reads] : *counted.reads) EXPECT_EQ(reads, 1) << number;
}

TEST(MatchPairs, TheThresholdGrowsWithThePictures) {
  const auto of = [](int width, int height) {
    return DescribedPicture{.width = width, .height = height, .keypoints = {}, .dimension = 0, .descriptors = {}};
  };
  EXPECT_EQ(threshold_for(of(640, 480), of(300, 900)), 1);
  EXPECT_DOUBLE_EQ(threshold_for(of(1200, 900), of(300, 900)), 1.2);
  EXPECT_DOUBLE_EQ(threshold_for(of(300, 900), of(900, 3000)), 3);
  EXPECT_EQ(threshold_for(of(9000, 6000), of(300, 900)), 4);
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry needs OpenCV";
  // Every fourth point of one picture lies 2.5 pixels off, each in a direction of its own: too far for 600 pixels.
  Counted counted;
  counted.source.features = [](size_t i) {
    DescribedPicture made = picture(i);
    for (size_t k = 0; i == 1 && k < kPoints; k += 4) {
      made.keypoints[k].x += 2.5 * std::cos(static_cast<double>(k));
      made.keypoints[k].y += 2.5 * std::sin(static_cast<double>(k));
    }
    return made;
  };
  const auto inliers = [&](double threshold) {
    MatchPairsReport report;
    matched(counted.source, {{0, 1}}, {.threshold = threshold}, report);
    return report.inliers;
  };
  EXPECT_LE(inliers(0), 75) << "some lie on their lines by chance";
  EXPECT_EQ(inliers(0), inliers(1));
  EXPECT_GE(inliers(4), 78);
  EXPECT_THROW(inliers(-1), Error);
}

TEST(MatchPairs, ThePairDecidesAndNotWhoCameBefore) {
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry needs OpenCV";
  const Counted counted;
  MatchPairsReport report;
  const auto all = matched(counted.source, all_pairs(kPictures), {}, report);
  // One pair alone, with little memory: pictures are read again, the matches are the same.
  const auto alone = matched(counted.source, {{4, 6}}, {.picture_bytes = 1}, report);
  const MatchedPair &a = all.at({4, 6}), &b = alone.at({4, 6});
  ASSERT_EQ(a.matches.size(), b.matches.size());
  for (size_t i = 0; i < a.matches.size(); ++i) EXPECT_EQ(a.matches[i].match, b.matches[i].match);
  EXPECT_EQ(a.view.inliers, b.view.inliers);
  EXPECT_EQ(a.view.fundamental, b.view.fundamental);
}

TEST(MatchPairs, MemoryIsBounded) {
  Counted counted;
  MatchPairsReport report;
  MatchPairsOptions options{.verify = false, .picture_bytes = 3 * 80 * (128 * 4 + 40)};
  matched(counted.source, all_pairs(kPictures), options, report);
  int reads = 0;
  for (const auto& [number, times] : *counted.reads) reads += times;
  EXPECT_GT(reads, static_cast<int>(kPictures)) << "three fit, the others come and go";
}

TEST(MatchPairs, WithoutVerificationNothingIsClaimed) {
  Counted counted;
  MatchPairsReport report;
  const auto all = matched(counted.source, {{0, 1}}, {.verify = false}, report);
  EXPECT_EQ(all.at({0, 1}).view.kind, TwoViewKind::kUndefined);
  EXPECT_EQ(report.verified, 0);
}

}  // namespace
}  // namespace adasample
