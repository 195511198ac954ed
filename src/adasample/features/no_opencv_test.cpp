// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/sift_descriptor.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(Sift, SaysThatItWasBuiltWithoutOpenCv) {
  EXPECT_FALSE(have_opencv());
  testing::expect_error([] { make_sift_descriptor(false); }, "[sift] SIFT needs OpenCV", "ADASAMPLE_OPENCV");
  testing::expect_error([] { make_sift_descriptor(true); }, "RootSIFT needs OpenCV");
}

}  // namespace
}  // namespace adasample
