// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/blob_detector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

using testing::add_blob;
using testing::blob_scene;

TEST(BlobDetector, FindsPositionAndScaleOfGaussians) {
  for (const double sigma : {2.5, 4.0, 7.0}) {
    GrayImage image(120, 100, 128.0f);
    add_blob(image, {60.3, 45.6, sigma, -80});
    const std::vector<Keypoint> blobs = detect_blobs(ScalePyramid(image), {});
    ASSERT_EQ(blobs.size(), 1u) << sigma;
    EXPECT_NEAR(blobs[0].x, 60.3, 0.3);
    EXPECT_NEAR(blobs[0].y, 45.6, 0.3);
    EXPECT_NEAR(blobs[0].sigma / sigma, 1.0, 0.12);
    EXPECT_NEAR(blobs[0].strength, 20, 2.5);  // a quarter of the height
  }
}

TEST(BlobDetector, FlatImagesEdgesAndFaintBlobsHaveNone) {
  EXPECT_TRUE(detect_blobs(ScalePyramid(GrayImage(64, 64, 99.0f)), {}).empty());
  GrayImage edge(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 30; x < 64; ++x) edge.at(x, y) = 200;
  }
  EXPECT_TRUE(detect_blobs(ScalePyramid(edge), {}).empty());
  GrayImage faint(64, 64, 100.0f);
  add_blob(faint, {32, 32, 4, 6});  // strength 1.5
  EXPECT_TRUE(detect_blobs(ScalePyramid(faint), {}).empty());
  EXPECT_TRUE(detect_blobs(ScalePyramid(GrayImage(1, 1, 1.0f)), {}).empty());
}

TEST(BlobDetector, KeptBlobsNeverShowTheSameSpot) {
  const BlobOptions options;
  const std::vector<Keypoint> blobs = detect_blobs(ScalePyramid(blob_scene()), options);
  ASSERT_GT(blobs.size(), 20u);
  for (size_t i = 0; i < blobs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double larger = std::max(blobs[i].sigma, blobs[j].sigma),
                   smaller = std::min(blobs[i].sigma, blobs[j].sigma);
      const double distance = std::hypot(blobs[i].x - blobs[j].x, blobs[i].y - blobs[j].y);
      EXPECT_TRUE(larger > 2 * smaller || distance >= options.min_distance * larger);
      EXPECT_LE(blobs[i].strength, blobs[j].strength);
    }
  }
}

TEST(BlobDetector, LimitsAreKept) {
  const ScalePyramid pyramid(blob_scene());
  const std::vector<Keypoint> all = detect_blobs(pyramid, {});
  const std::vector<Keypoint> few = detect_blobs(pyramid, {.max_count = 5});
  ASSERT_EQ(few.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(few[i].x, all[i].x);
  for (const Keypoint& blob : detect_blobs(pyramid, {.limits = {.min_sigma = 3, .max_sigma = 5}})) {
    EXPECT_GE(blob.sigma, 3);
    EXPECT_LE(blob.sigma, 5);
  }
  testing::expect_error([&] { detect_blobs(pyramid, {.max_count = 0}); }, "BlobOptions::max_count = 0, must be >= 1");
}

}  // namespace
}  // namespace adasample
