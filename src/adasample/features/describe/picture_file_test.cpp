// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/features/match_pictures.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/homography.h"
#include "adasample/model/descriptor_registry.h"
#include "tests/support/expect_error.h"
#include "tests/support/median.h"
#include "tests/support/opencv.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

using testing::expect_error;

std::unique_ptr<Descriptor> classic(const std::string& name) {
  for (const DescriptorKind& kind : registered_descriptors()) {
    if (kind.name == name) return kind.make({}, name, {});
  }
  throw std::runtime_error(name);
}

class Pictures : public ::testing::Test {
 protected:
  Pictures() {
    write_pgm(folder_ / "a.pgm", testing::blob_scene({}, 240, 160));
    write_pgm(folder_ / "big.pgm", testing::blob_scene(Affine2::scaling(0.5, 0.5), 480, 320));
  }
  PictureFile open(const std::string& name, const PictureOptions& options = {}) const {
    return PictureFile(folder_ / name, options);
  }
  testing::TempFolder folder_;
};

TEST_F(Pictures, KeypointsAreInPixelsOfTheFile) {
  const PictureFile whole = open("big.pgm"), halved = open("big.pgm", {.features = {}, .max_side = 300});
  EXPECT_EQ(halved.width(), 480);
  EXPECT_EQ(halved.image().width, 240);
  EXPECT_EQ(halved.reduction(), 2);
  const auto all = whole.detect(), few = halved.detect();
  ASSERT_GT(few.size(), 20u);
  std::vector<double> right, down, scale;
  for (const Keypoint& k : few) {
    const Keypoint l = *std::min_element(all.begin(), all.end(), [&](const Keypoint& a, const Keypoint& b) {
      return std::hypot(k.x - a.x, k.y - a.y) < std::hypot(k.x - b.x, k.y - b.y);
    });
    right.push_back(k.x - l.x);
    down.push_back(k.y - l.y);
    scale.push_back(k.sigma / l.sigma);
  }
  EXPECT_NEAR(testing::median(right), 0, 0.2) << "a slip of half a pixel would be 0.5";
  EXPECT_NEAR(testing::median(down), 0, 0.2);
  EXPECT_NEAR(testing::median(scale), 1, 0.1);
}

TEST_F(Pictures, OrientationsAreThoseOfTheDetector) {
  const PictureFile picture = open("big.pgm", {.features = {.max_keypoints = 20}, .max_side = 300});
  const auto found = picture.detect();
  auto upright = found;
  for (Keypoint& k : upright) k.angle = 0;
  const auto turned = picture.orient(upright);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(turned[i].angle, found[i].angle, 1e-9);
}

TEST_F(Pictures, RefusesKeypointsOutside) {
  if (!testing::have_opencv()) GTEST_SKIP() << "no descriptor without OpenCV";
  const auto sift = classic("sift");
  Progress progress("", "", 1);
  double seconds = 0;
  expect_error([&] { open("a.pgm").describe({{.x = 300, .y = 10, .sigma = 2}}, *sift, progress, seconds); }, "a.pgm",
               "240 x 160", "(300.0, 10.0)");
  expect_error([&] { open("none.pgm"); }, "none.pgm");
}

TEST_F(Pictures, Options) {
  EXPECT_EQ(keypoint_detector_names(),
            (std::vector<std::string>{"dog", "hessian", "harris", "sift", "orb", "akaze", "brisk"}));
  for (const std::string& name : keypoint_detector_names()) {
    EXPECT_NO_THROW((PictureOptions{.features = {.detector = name}}.validate()));
  }
  expect_error([] { PictureOptions{.features = {.detector = "surf"}}.validate(); }, "surf", "akaze");
  expect_error([] { PictureOptions{.features = {.max_keypoints = 3}}.validate(); }, "max_keypoints = 3, must be 4");
  expect_error([] { PictureOptions{.features = {}, .max_side = 10}.validate(); }, "max_side = 10, must be 64 to 16384");
}

TEST_F(Pictures, SiftFindsSeveralOrientationsUnlessUpright) {
  if (!testing::have_opencv()) GTEST_SKIP() << "SIFT needs OpenCV";
  const auto turned = open("big.pgm", {.features = {.detector = "sift"}}).detect();
  const auto upright = open("big.pgm", {.features = {.detector = "sift", .upright = true}}).detect();
  EXPECT_GT(turned.size(), upright.size());
  for (size_t i = 0; i < upright.size(); ++i) {
    EXPECT_EQ(upright[i].angle, 0);
    EXPECT_FALSE(i > 0 && upright[i].x == upright[i - 1].x && upright[i].y == upright[i - 1].y);
  }
}

// Asked for so many places: these, whatever their orientations; the strongest ones of all.
TEST_F(Pictures, SiftCountsPlaces) {
  if (!testing::have_opencv()) GTEST_SKIP() << "SIFT needs OpenCV";
  const auto places = [&](int most, bool upright) {
    const auto found =
        open("big.pgm", {.features = {.detector = "sift", .max_keypoints = most, .upright = upright}}).detect();
    std::map<std::tuple<double, double, double>, int> at;
    for (const Keypoint& k : found) ++at[{k.x, k.y, k.sigma}];
    return at;
  };
  ASSERT_GT(places(2000, true).size(), 60u);
  const auto turned = places(60, false), upright = places(60, true);
  EXPECT_EQ(turned.size(), 60u);
  EXPECT_EQ(upright.size(), 60u);
  int most = 0;
  for (const auto& [place, orientations] : turned) {
    most = std::max(most, orientations);
    EXPECT_EQ(upright.at(place), 1);
  }
  EXPECT_EQ(most, 2);
}

// The same scene twice as large: matches lie where they should.
TEST_F(Pictures, MatchAcrossScales) {
  if (!testing::have_opencv()) GTEST_SKIP() << "SIFT needs OpenCV";
  const auto sift = classic("rootsift");
  const DescribedPicture a = describe_picture(folder_ / "a.pgm", *sift),
                         b = describe_picture(folder_ / "big.pgm", *sift);
  EXPECT_EQ(a.width, 240);
  EXPECT_EQ(b.descriptors.size(), b.keypoints.size() * static_cast<size_t>(b.dimension));
  const PictureMatches found = match_pictures(a, b, {}, {.kind = Geometry::kHomography});
  ASSERT_TRUE(found.geometry);
  EXPECT_EQ(found.inliers(), std::count(found.geometry->inliers.begin(), found.geometry->inliers.end(), true));
  EXPECT_GT(found.inliers(), 15);
  std::vector<double> right, down;
  for (size_t i = 0; i < found.kept.size(); ++i) {
    if (!found.geometry->inliers[i]) continue;
    const Keypoint& k = a.keypoints[static_cast<size_t>(found.kept[i].match.first)];
    const Keypoint& l = b.keypoints[static_cast<size_t>(found.kept[i].match.second)];
    right.push_back(l.x - 2 * k.x);
    down.push_back(l.y - 2 * k.y);
  }
  EXPECT_NEAR(testing::median(right), 0, 0.2) << "a slip of half a pixel would be 0.5";
  EXPECT_NEAR(testing::median(down), 0, 0.2);
  const Point2 centre = Homography(found.geometry->matrix)({120, 80});
  EXPECT_NEAR(centre.x, 240, 0.4);
  EXPECT_NEAR(centre.y, 160, 0.4);
  for (const MatchLimits& strict : {MatchLimits{.ratio = 1e-9}, MatchLimits{.max_distance = 1e-9}}) {
    const PictureMatches none = match_pictures(a, b, strict, {});
    EXPECT_TRUE(none.kept.empty());
    EXPECT_FALSE(none.geometry);
    EXPECT_EQ(none.inliers(), 0);
    EXPECT_EQ(none.mutual, found.mutual);
  }
}

}  // namespace
}  // namespace adasample
