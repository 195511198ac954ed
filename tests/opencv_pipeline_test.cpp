// SPDX-License-Identifier: Apache-2.0
// OpenCV's own matchers and its stitcher with adasample's descriptors in the place of SIFT's, through the library that
// is installed.
#include <gtest/gtest.h>

#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/stitching.hpp>

#include "adasample/base/exception.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "adasample/integrate/opencv_feature2d.h"
#include "adasample/model/random_weights.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

class OpencvPipeline : public ::testing::Test {
 protected:
  OpencvPipeline() {
    const std::string file = folder_ / "w.safetensors";
    save_safetensors(random_weights(l2net(), 1), file);
    feature_ = Descriptor2D::create(file, cv::SIFT::create(200));
  }
  static cv::Mat scene(int width, int height) {
    const GrayImage image = dead_leaves_scene(RngKey(5, Draw::kScene), {.width = width, .height = height});
    std::vector<uint8_t> bytes = to_bytes(image);
    return cv::Mat(height, width, CV_8U, bytes.data()).clone();
  }

  const testing::TempFolder folder_;
  cv::Ptr<Descriptor2D> feature_;
};

// A scene, and the same turned by 20 degrees and enlarged: even a network that has learned nothing finds most of it.
TEST_F(OpencvPipeline, MatchersFindATurnedScene) {
  const cv::Mat first = scene(400, 300), turn = cv::getRotationMatrix2D({200, 150}, 20, 1.2);
  cv::Mat second;
  cv::warpAffine(first, second, turn, first.size(), cv::INTER_LINEAR, cv::BORDER_REFLECT);
  std::vector<cv::KeyPoint> a, b;
  cv::Mat rows_a, rows_b;
  feature_->detectAndCompute(first, cv::noArray(), a, rows_a);
  feature_->detectAndCompute(second, cv::noArray(), b, rows_b);
  const auto share_right = [&](const std::vector<cv::DMatch>& matches) {
    int right = 0;
    for (const cv::DMatch& m : matches) {
      const cv::Point2f p = a[static_cast<size_t>(m.queryIdx)].pt, q = b[static_cast<size_t>(m.trainIdx)].pt;
      const cv::Mat expected = turn * cv::Mat(cv::Vec3d(p.x, p.y, 1));
      right += std::hypot(expected.at<double>(0) - q.x, expected.at<double>(1) - q.y) < 3 ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(std::max<size_t>(1, matches.size()));
  };
  std::vector<cv::DMatch> mutual;
  cv::BFMatcher(feature_->defaultNorm(), /*crossCheck=*/true).match(rows_a, rows_b, mutual);
  EXPECT_GT(mutual.size(), 50u);
  EXPECT_GT(share_right(mutual), 0.5);

  std::vector<std::vector<cv::DMatch>> nearest;
  cv::FlannBasedMatcher().knnMatch(rows_a, rows_b, nearest, 2);
  std::vector<cv::DMatch> distinct;
  for (const auto& two : nearest) {
    if (two[0].distance < 0.8f * two[1].distance) distinct.push_back(two[0]);
  }
  EXPECT_GT(distinct.size(), 20u);
  EXPECT_GT(share_right(distinct), 0.8);
}

TEST_F(OpencvPipeline, StitchesOverlappingCrops) {
  const cv::Mat whole = scene(640, 320);
  cv::Mat colour;
  cv::cvtColor(whole, colour, cv::COLOR_GRAY2BGR);
  const std::vector<cv::Mat> crops = {colour.colRange(0, 400).clone(), colour.colRange(240, 640).clone()};
  const cv::Ptr<cv::Stitcher> stitcher = cv::Stitcher::create(cv::Stitcher::SCANS);
  stitcher->setFeaturesFinder(feature_);
  cv::Mat panorama;
  ASSERT_EQ(stitcher->stitch(crops, panorama), cv::Stitcher::OK);
  EXPECT_NEAR(panorama.cols, 640, 6);
  EXPECT_NEAR(panorama.rows, 320, 6);
}

// The library has its own copy of the type: it is known by its name.
TEST_F(OpencvPipeline, ErrorsCrossTheLibrarysBorder) {
  try {
    Descriptor2D::create(folder_ / "none.safetensors");
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kWork);
    EXPECT_NE(std::string(error.what()).find("none.safetensors"), std::string::npos);
  }
}

}  // namespace
}  // namespace adasample
