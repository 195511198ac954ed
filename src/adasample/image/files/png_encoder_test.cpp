// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/png_encoder.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(PngEncoder, IsLosslessAndSmallerThanThePixels) {
  constexpr int kWidth = 65, kHeight = 650;
  std::vector<uint8_t> pixels(kWidth * kHeight);
  for (size_t i = 0; i < pixels.size(); ++i) {
    const double x = static_cast<double>(i % kWidth), y = static_cast<double>(i) / kWidth;
    pixels[i] = static_cast<uint8_t>(128 + 100 * std::sin(0.1 * x) * std::cos(0.07 * y));
  }
  const std::string file = encode_gray_png(pixels, kWidth, kHeight);
  EXPECT_LT(file.size(), pixels.size() / 2);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&header, file.data(), file.size()), 0);
  ASSERT_EQ(header.width, static_cast<unsigned>(kWidth));
  ASSERT_EQ(header.height, static_cast<unsigned>(kHeight));
  std::vector<uint8_t> decoded(pixels.size());
  ASSERT_NE(png_image_finish_read(&header, nullptr, decoded.data(), 0, nullptr), 0);
  EXPECT_EQ(decoded, pixels);
}

TEST(PngEncoder, WhatLibpngRefusesIsAnError) {
  const std::vector<uint8_t> column(1'000'001);
  testing::expect_error([&] { encode_gray_png(column, 1, 1'000'001); }, "[png] 1 x 1000001 pixels",
                        "cannot be encoded");
}

}  // namespace
}  // namespace adasample
