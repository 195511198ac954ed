// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "adasample/features/opencv/opencv_functions.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

TEST(PictureSift, CountsWhatItDescribes) {
  EXPECT_EQ(count_sift_features(GrayImage(100, 80, 90.0f), 1000), 0);
  const int64_t all = count_sift_features(testing::blob_scene(), 0);
  EXPECT_GT(all, 20);
  const int64_t some = count_sift_features(testing::blob_scene(), 10);
  EXPECT_GE(some, 10);
  EXPECT_LE(some, 20) << "a place may have several orientations";
}

}  // namespace
}  // namespace adasample
