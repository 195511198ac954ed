// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/png.h"

#include <gtest/gtest.h>
#include <png.h>

#include "adasample/base/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

TEST(Png, LibpngReadsTheSamePixels) {
  GrayImage image(37, 5);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<float>(i * 7 % 300);  // some above 255
  const std::string file = encode_png(image);

  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&header, file.data(), file.size()), 0);
  EXPECT_EQ(header.width, 37u);
  EXPECT_EQ(header.height, 5u);
  EXPECT_EQ(header.format, PNG_FORMAT_GRAY);
  std::vector<uint8_t> pixels(37 * 5);
  ASSERT_NE(png_image_finish_read(&header, nullptr, pixels.data(), 0, nullptr), 0);
  EXPECT_EQ(pixels, to_bytes(image));
}

TEST(Png, FileHoldsTheEncodedBytes) {
  const testing::TempFolder folder;
  const GrayImage image(8, 8, 100.0f);
  write_png(folder / "a.png", image);
  EXPECT_EQ(read_text(folder / "a.png"), encode_png(image));
  testing::expect_error([&] { write_png(folder / "none" / "a.png", image); }, "a.png", "cannot be created");
}

}  // namespace
}  // namespace adasample
