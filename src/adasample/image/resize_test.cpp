// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/resize.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "adasample/base/files/npy.h"

namespace adasample {
namespace {

NpyFile golden_array(const std::string& name) {
  return NpyFile(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/resize/" + name + ".npy");
}

// tests/golden/resize: four patches of noise, resized by OpenCV 4.6.
TEST(ResizePatch, IsOpenCvsToTheLastBit) {
  for (const auto& [from, to] : {std::pair(64, 32), std::pair(65, 32), std::pair(65, 64)}) {
    const NpyFile in = golden_array(fmt::format("in{}", from));
    const NpyFile expected = golden_array(fmt::format("cv2_linear_{}to{}", from, to));
    const std::span<const uint8_t> pixels = in.data<uint8_t>(), wanted = expected.data<uint8_t>();
    const auto area_in = static_cast<size_t>(from * from), area_out = static_cast<size_t>(to * to);
    ASSERT_EQ(pixels.size(), 4 * area_in);
    for (size_t p = 0; p < 4; ++p) {
      const std::vector<uint8_t> out = resize_patch(pixels.subspan(p * area_in, area_in), from, to);
      const std::span<const uint8_t> want = wanted.subspan(p * area_out, area_out);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), want.begin(), want.end()))
          << from << " to " << to << ", patch " << p;
    }
  }
}

TEST(ResizePatch, SameSizeCopiesAndOnePixelSpreads) {
  const std::vector<uint8_t> patch = {1, 2, 3, 4};
  EXPECT_EQ(resize_patch(patch, 2, 2), patch);
  EXPECT_EQ(resize_patch(std::vector<uint8_t>{7}, 1, 3), std::vector<uint8_t>(9, 7));
}

}  // namespace
}  // namespace adasample
