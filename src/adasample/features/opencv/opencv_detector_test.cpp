// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/conventions.h"
#include "adasample/features/detect/keypoint_detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <set>

#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/region_overlap.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "tests/support/expect_error.h"
#include "tests/support/opencv.h"

namespace adasample {
namespace {

std::vector<Keypoint> detect_keypoints(const GrayImage& image, const FeatureOptions& options) {
  EXPECT_TRUE(testing::have_opencv());
  return make_keypoint_detector(options)->detect(ScalePyramid(image));
}

// What stores are cut at (data/photographs/photographs.h).
const FeatureOptions kOnePerSpot = {.detector = "sift", .min_contrast = 0.03, .min_sigma = 1.6, .max_overlap = 0.1};

FeatureOptions changed(const std::function<void(FeatureOptions&)>& change) {
  FeatureOptions options = kOnePerSpot;
  change(options);
  return options;
}

GrayImage blob_at(double x0, double y0, double sigma) {
  GrayImage image(160, 120, 40);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      image.at(x, y) +=
          static_cast<float>(180 * std::exp(-(std::pow(x - x0, 2) + std::pow(y - y0, 2)) / (2 * sigma * sigma)));
    }
  }
  return image;
}

TEST(DetectKeypoints, FindsABlobWhereItIs) {
  for (const auto& [x, y] : {std::pair(80.0, 60.0), std::pair(70.5, 55.25)}) {
    const std::vector<Keypoint> found = detect_keypoints(blob_at(x, y, 5), kOnePerSpot);
    ASSERT_FALSE(found.empty());
    EXPECT_NEAR(found[0].x, x, 0.08);  // 0.25 off without the correction of OpenCV's doubling
    EXPECT_NEAR(found[0].y, y, 0.08);
    EXPECT_NEAR(found[0].sigma, 5, 0.8);
  }
}

TEST(DetectKeypoints, NoTwoShowTheSameSpot) {
  const GrayImage scene = dead_leaves_scene(RngKey(2, Draw::kScene));
  const FeatureOptions options = kOnePerSpot;
  const std::vector<Keypoint> found = detect_keypoints(scene, options);
  ASSERT_GT(found.size(), 20u);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_GE(found[i].sigma, options.min_sigma);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_LE(circle_overlap({found[i].x, found[i].y}, options.region_factor * found[i].sigma,
                               {found[j].x, found[j].y}, options.region_factor * found[j].sigma),
                options.max_overlap + 1e-9);
      EXPECT_LE(found[i].strength, found[j].strength);
    }
  }
  EXPECT_LT(detect_keypoints(scene, changed([](auto& o) { o.max_overlap = 0.01; })).size(), found.size());
  EXPECT_EQ(detect_keypoints(scene, changed([](auto& o) { o.max_keypoints = 7; })).size(), 7u);
  EXPECT_LT(detect_keypoints(scene, changed([](auto& o) { o.min_contrast = 0.1; })).size(), found.size());
}

TEST(DetectKeypoints, TinyAndFlatPicturesHaveNone) {
  EXPECT_TRUE(detect_keypoints(GrayImage(5, 300, 10), kOnePerSpot).empty());
  EXPECT_TRUE(detect_keypoints(GrayImage(100, 100, 10), kOnePerSpot).empty());
  testing::expect_error([] { detect_keypoints(GrayImage(100, 100), {.max_overlap = 2}); }, "max_overlap = 2");
}

// Whatever a detector calls its keypoints' size: the region around them is about as large as the blob that was found.
TEST(DetectKeypoints, SizesMeanTheSameForAll) {
  const GrayImage scene = dead_leaves_scene(RngKey(2, Draw::kScene));
  for (const std::string name : {"sift", "orb", "akaze", "brisk"}) {
    const std::vector<Keypoint> found = detect_keypoints(scene, {.detector = name, .max_keypoints = 50});
    ASSERT_GE(found.size(), 10u) << name;
    std::set<std::pair<double, double>> places;
    double angles = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      places.emplace(found[i].x, found[i].y);
      angles += std::abs(found[i].angle);
      EXPECT_GE(found[i].x, -1);
      EXPECT_LE(found[i].x, scene.width);
      EXPECT_GT(found[i].sigma, 0.5) << name;
      EXPECT_LT(found[i].sigma, 60) << name;
      EXPECT_LE(found[i].strength, found[i == 0 ? 0 : i - 1].strength) << name;
    }
    EXPECT_LE(places.size(), 50u) << name;
    EXPECT_GT(angles, 0) << name << ": turned to a gradient";
    for (const Keypoint& k : detect_keypoints(scene, {.detector = name, .max_keypoints = 50, .upright = true})) {
      EXPECT_EQ(k.angle, 0);
    }
    EXPECT_EQ(detect_keypoints(scene, {.detector = name, .max_keypoints = 50})[3].x, found[3].x) << "the same again";
  }
}

// The region called "sift" is the one SIFT itself describes: of patches cut at several factors and described with the
// grid of 4 x 4 bins right across the patch, that of factor 6 comes closest to SIFT at the keypoint. SIFT's outer bins
// fade out beyond the grid, so the patch is cut with a quarter of its width more on each side.
TEST(MeasurementRegion, SixSigmasAreSiftsOwn) {
  const GrayImage scene = dead_leaves_scene(RngKey(2, Draw::kScene));
  const ScalePyramid pyramid(scene);
  std::vector<uint8_t> bytes = to_bytes(scene);
  const cv::Mat picture(scene.height, scene.width, CV_8U, bytes.data());
  const auto describe = [](const cv::Mat& image, float x, float y, float sigma, float angle_degrees, double smoothing) {
    std::vector<cv::KeyPoint> at = {{x, y, 2 * sigma, angle_degrees, 1, /*octave=*/0}};
    cv::Mat row;
    cv::SIFT::create(0, 3, 0.04, 10, smoothing)->detectAndCompute(image, cv::noArray(), at, row, true);
    return row;
  };
  std::map<double, double> similarity;  // factor -> sum of cosines
  int used = 0;
  for (const Keypoint& k : detect_keypoints(scene, changed([](auto& o) { o.min_sigma = 3; }))) {
    const int size = static_cast<int>(std::lround(2 * kSiftRegion * k.sigma));  // about a pixel a pixel
    const int canvas = 3 * size / 2;
    if (!is_inside(keypoint_frame(k, 10.5, canvas), canvas, scene.width, scene.height)) continue;
    ++used;
    const cv::Mat own = describe(picture, static_cast<float>(k.x), static_cast<float>(k.y), static_cast<float>(k.sigma),
                                 static_cast<float>(k.angle * 180 / CV_PI), k.sigma);
    for (const double factor : {4.5, 5.0, 5.5, 6.0, 6.5, 7.0}) {
      std::vector<uint8_t> patch(static_cast<size_t>(canvas * canvas));
      cut(pyramid, keypoint_frame(k, factor * canvas / size, canvas), canvas, patch.data());
      const auto centre = static_cast<float>(canvas - 1) / 2;
      const float sigma = static_cast<float>(size) / 12;
      const cv::Mat whole = describe(cv::Mat(canvas, canvas, CV_8U, patch.data()), centre, centre, sigma, 0, sigma);
      similarity[factor] += own.dot(whole) / (cv::norm(own) * cv::norm(whole));
    }
  }
  ASSERT_GT(used, 20);
  for (const auto& [factor, sum] : similarity) {
    if (factor == kSiftRegion) continue;
    EXPECT_LT(sum, similarity[kSiftRegion]) << "factor " << factor;
  }
  EXPECT_GT(similarity[kSiftRegion] / used, 0.99);
  std::printf("mean cosine at factor 6: %.4f of %d keypoints\n", similarity[kSiftRegion] / used, used);
}

}  // namespace
}  // namespace adasample
