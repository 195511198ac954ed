// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/redetected_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/data/views/picture_view.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr size_t kArea = 32 * 32;
const RngKey kKey(6, Draw::kView);

class RedetectClasses : public ::testing::Test {
 protected:
  std::vector<GradedClass> make() const {
    return redetect_classes(picture_, keypoints_, kKey, options_, *detector_, redetect_);
  }

  const ScalePyramid picture_{dead_leaves_scene(RngKey(9, Draw::kScene))};
  const std::unique_ptr<KeypointDetector> detector_ = make_keypoint_detector({.detector = "hessian"});
  const std::vector<Keypoint> keypoints_ =
      make_keypoint_detector({.detector = "hessian", .max_keypoints = 100, .max_overlap = 0.1})->detect(picture_);
  ViewClassOptions options_ = {.views = 6};
  RedetectOptions redetect_ = {.on = true};
};

struct Tally {
  int classes = 0, patches = 0;
  float strongest = 0;
};

Tally tally_of(const std::vector<GradedClass>& classes) {
  Tally tally;
  for (const GradedClass& one : classes) {
    tally.classes += !one.strengths.empty();
    tally.patches += static_cast<int>(one.strengths.size());
    for (const float s : one.strengths) tally.strongest = std::max(tally.strongest, s);
  }
  return tally;
}

TEST_F(RedetectClasses, AClassIsAKeypointAndWhereItWasFoundAgain) {
  const std::vector<GradedClass> classes = make();
  ASSERT_EQ(classes.size(), keypoints_.size());
  for (const GradedClass& one : classes) {
    ASSERT_EQ(one.patches.size(), one.strengths.size() * kArea);
    if (one.strengths.empty()) continue;
    EXPECT_GE(one.strengths.size(), 2u);
    EXPECT_LE(one.strengths.size(), 6u);
    EXPECT_EQ(one.strengths[0], 0);
    for (const float s : one.strengths) EXPECT_LE(s, 0.5f) << "1 - min_overlap";
  }
  const Tally tally = tally_of(classes);
  EXPECT_GT(tally.classes, 20);
  EXPECT_GT(tally.patches, 3 * tally.classes);
  EXPECT_GT(tally.strongest, 0.2f);
}

// The same spot: patches of a class are more alike than patches of two.
TEST_F(RedetectClasses, PatchesOfAClassShowTheSameSpot) {
  redetect_.max_turn = 20;
  const std::vector<GradedClass> classes = make();
  const auto difference = [](const uint8_t* a, const uint8_t* b) {
    double sum = 0;
    for (size_t i = 0; i < kArea; ++i) sum += std::abs(a[i] - b[i]);
    return sum / kArea;
  };
  double own = 0, others = 0;
  int count = 0;
  const GradedClass* previous = nullptr;
  for (const GradedClass& one : classes) {
    if (one.patches.empty()) continue;
    if (previous != nullptr) {
      own += difference(one.patches.data(), one.patches.data() + kArea);
      others += difference(one.patches.data(), previous->patches.data());
      ++count;
    }
    previous = &one;
  }
  ASSERT_GT(count, 20);
  EXPECT_LT(own, 0.5 * others);
}

TEST_F(RedetectClasses, LimitsTakeAway) {
  const Tally all = tally_of(make());
  redetect_.min_overlap = 0.8;
  const Tally close = tally_of(make());
  EXPECT_LT(close.patches, all.patches);
  EXPECT_LE(close.strongest, 0.2f);
  redetect_ = {.on = true, .max_turn = 5};
  EXPECT_LT(tally_of(make()).patches, all.patches);
  options_.min_contrast = 60;
  EXPECT_LT(tally_of(make()).classes, all.classes / 2);
}

// Points on nearer surfaces are looked for where the surfaces went, though that is out of reach of where they were.
TEST_F(RedetectClasses, NearSurfacesAreFollowed) {
  options_.difficulty = parse_difficulty("warp=0,light=0,contrast=0,blur=0,noise=0,parallax=4");
  const PictureView view =
      draw_picture_view(kKey, 1, 1, picture_.width(), picture_.height(), options_.difficulty, /*jpeg=*/false);
  std::vector<size_t> on_surface;  // well inside
  for (size_t i = 0; i < keypoints_.size(); ++i) {
    const Keypoint& k = keypoints_[i];
    if (std::any_of(view.near.begin(), view.near.end(), [&](const Disc& d) { return d.depth({k.x, k.y}) > 15; })) {
      on_surface.push_back(i);
    }
  }
  ASSERT_GT(on_surface.size(), 3u);
  const auto found = [&] {
    const std::vector<GradedClass> classes = make();
    double patches = 0;
    for (const size_t i : on_surface) {
      patches += static_cast<double>(std::ranges::count_if(classes[i].strengths, [](float s) { return s < 0.2f; }));
    }
    return patches;  // but for what the detector is off by itself
  };
  const double shifted = found();
  options_.difficulty.set(Hardness::kParallax, 0);
  const double still = found();
  EXPECT_GT(shifted, 0.5 * still);
}

TEST(RedetectOptions, BadOnesAreNamed) {
  testing::expect_error([] { RedetectOptions{.min_overlap = 0}.validate(); }, "min_overlap = 0, must be in (0, 1]");
  testing::expect_error([] { RedetectOptions{.max_turn = 181}.validate(); }, "max_turn = 181, must be in (0, 180]");
}

}  // namespace
}  // namespace adasample
