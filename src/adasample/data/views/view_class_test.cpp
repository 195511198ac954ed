// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/view_class.h"

#include <gtest/gtest.h>

#include "adasample/image/scenes/dead_leaves.h"

namespace adasample {
namespace {

const ScalePyramid& scene() {
  static const ScalePyramid pyramid(dead_leaves_scene(RngKey(1, Draw::kScene)));
  return pyramid;
}

TEST(ViewClass, KeepsInsideAndTexturedSpotsOnly) {
  const RngKey key(7, Draw::kView);
  const ViewClassOptions options;
  const Keypoint middle{.x = 240, .y = 160, .sigma = 4};
  EXPECT_EQ(cut_view_class(scene(), middle, key, options).size(), 16u * 32 * 32);
  EXPECT_TRUE(cut_view_class(scene(), {.x = 10, .y = 160, .sigma = 4}, key, options).empty());
  EXPECT_TRUE(cut_view_class(ScalePyramid(GrayImage(400, 400, 90)), middle, key, options).empty());
}

TEST(ViewClass, JpegChangesPixelsOnly) {
  const RngKey key(7, Draw::kView);
  const Keypoint middle{.x = 240, .y = 160, .sigma = 4};
  const PatchClass plain = cut_view_class(scene(), middle, key, {});
  const PatchClass compressed = cut_view_class(scene(), middle, key, {.jpeg = true});
  ASSERT_EQ(plain.size(), compressed.size());
  EXPECT_NE(plain, compressed);
  double change = 0;
  for (size_t i = 0; i < plain.size(); ++i) change += std::abs(plain[i] - compressed[i]);
  EXPECT_LT(change / static_cast<double>(plain.size()), 6);  // the same views, a little worse
}

}  // namespace
}  // namespace adasample
