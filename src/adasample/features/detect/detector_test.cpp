// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

using testing::add_blob;
using testing::blob_scene;

const Keypoint& strongest(const std::vector<Keypoint>& keypoints) {
  return *std::max_element(keypoints.begin(), keypoints.end(),
                           [](const Keypoint& a, const Keypoint& b) { return a.strength < b.strength; });
}

// A bright square on dark ground.
GrayImage square_image(int low, int high) {
  GrayImage image(120, 120, 40.0f);
  for (int y = low; y <= high; ++y) {
    for (int x = low; x <= high; ++x) image.at(x, y) = 200;
  }
  return image;
}

class EveryDetector : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::vector<Keypoint> found(const GrayImage& image, const DetectionLimits& limits = {}) const {
    return detect(*make_detector(GetParam()), ScalePyramid(image), limits);
  }
};

TEST_P(EveryDetector, SeesNothingWhereThereIsNothing) {
  EXPECT_TRUE(found(GrayImage(64, 64, 99.0f)).empty());
  EXPECT_TRUE(found(GrayImage(1, 1, 1.0f)).empty());
  GrayImage edge(96, 96, 20.0f);
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 96; ++x) edge.at(x, y) += static_cast<float>(90 * (1 + std::erf((x - 40.3) / 3)));
  }
  EXPECT_TRUE(found(edge).empty());
}

TEST_P(EveryDetector, KeepsItsLimits) {
  const DetectionLimits limits = {.min_sigma = 3, .max_sigma = 6, .min_strength = 5};
  const std::vector<Keypoint> all = found(blob_scene(), {.min_sigma = 0.5, .min_strength = 0.1});
  const std::vector<Keypoint> some = found(blob_scene(), limits);
  EXPECT_GT(some.size(), 3u);
  const auto within = [&](const Keypoint& k) {
    return k.sigma >= limits.min_sigma && k.sigma <= limits.max_sigma && k.strength >= limits.min_strength;
  };
  EXPECT_TRUE(std::all_of(some.begin(), some.end(), within));
  EXPECT_EQ(some.size(), static_cast<size_t>(std::count_if(all.begin(), all.end(), within)));
}

// Twice the size, twice the coordinates and sigmas: most keypoints are found again.
TEST_P(EveryDetector, FollowsAZoom) {
  const std::vector<Keypoint> small = found(blob_scene());
  const std::vector<Keypoint> large = found(blob_scene(Affine2::scaling(0.5, 0.5), 480, 320));
  ASSERT_GT(small.size(), 15u);
  const auto again = std::count_if(small.begin(), small.end(), [&](const Keypoint& k) {
    return std::any_of(large.begin(), large.end(), [&](const Keypoint& l) {
      return std::hypot(2 * k.x - l.x, 2 * k.y - l.y) < k.sigma && std::abs(std::log2(l.sigma / k.sigma) - 1) < 0.25;
    });
  });
  EXPECT_GT(static_cast<double>(again), 0.8 * static_cast<double>(small.size()));
}

INSTANTIATE_TEST_SUITE_P(All, EveryDetector, ::testing::ValuesIn(detector_names()),
                         [](const auto& test) { return std::string(test.param); });

TEST(Detector, BlobsHaveTheirSigmaAndAQuarterOfTheirHeight) {
  for (const char* name : {"dog", "hessian"}) {
    for (const double sigma : {2.5, 4.0, 7.0}) {
      for (const double height : {-80.0, 80.0}) {
        GrayImage image(120, 100, 128.0f);
        add_blob(image, {60.3, 45.6, sigma, height});
        const Keypoint k = strongest(detect(*make_detector(name), ScalePyramid(image)));
        EXPECT_NEAR(k.x, 60.3, 0.3) << name;
        EXPECT_NEAR(k.y, 45.6, 0.3) << name;
        EXPECT_NEAR(k.sigma / sigma, 1.0, 0.12) << name << " " << sigma;
        EXPECT_NEAR(k.strength, 20, 2.5) << name << " " << sigma;
      }
    }
  }
}

TEST(Detector, HarrisFindsTheCornersOfASquare) {
  const std::vector<Keypoint> corners = detect(*make_detector("harris"), ScalePyramid(square_image(40, 79)));
  for (const double x : {39.5, 79.5}) {
    for (const double y : {39.5, 79.5}) {
      EXPECT_TRUE(std::any_of(corners.begin(), corners.end(),
                              [&](const Keypoint& k) { return std::hypot(k.x - x, k.y - y) < 1.5 * k.sigma; }))
          << x << " " << y;
    }
  }
}

TEST(Detector, DogLeavesElongatedBlobsOut) {
  const Affine2 stretched = Affine2::translation(60, 60) * Affine2::scaling(1, 0.1) * Affine2::translation(-60, -60);
  GrayImage round(120, 120, 50.0f), bar(120, 120, 50.0f);
  add_blob(round, {60, 60, 3, 100});
  add_blob(bar, {60, 60, 3, 100}, stretched);  // sigma 3 across, 30 along
  const auto near_centre = [](const GrayImage& image) {
    const std::vector<Keypoint> keypoints = detect(*make_detector("dog"), ScalePyramid(image));
    return std::count_if(keypoints.begin(), keypoints.end(),
                         [](const Keypoint& k) { return std::hypot(k.x - 60, k.y - 60) < 3 && k.sigma < 6; });
  };
  EXPECT_EQ(near_centre(round), 1);
  EXPECT_EQ(near_centre(bar), 0);
}

TEST(Detector, UnknownNamesAndLimitsAreRefused) {
  testing::expect_error([] { make_detector("mser"); }, "detector = \"mser\", must be one of dog, hessian, harris");
  const ScalePyramid pyramid(GrayImage(9, 9, 1.0f));
  const auto refuses = [&](const DetectionLimits& limits, const char* why) {
    testing::expect_error([&] { detect(*make_detector("dog"), pyramid, limits); }, "DetectionLimits::", why);
  };
  refuses({.min_sigma = 0}, "min_sigma = 0, must be in (0, max_sigma = inf]");
  refuses({.min_sigma = 3, .max_sigma = 2}, "min_sigma = 3, must be in (0, max_sigma = 2]");
  refuses({.min_strength = 0}, "min_strength = 0, must be > 0");
}

}  // namespace
}  // namespace adasample
