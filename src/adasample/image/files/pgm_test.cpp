// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/pgm.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

GrayImage parse_pgm_text(const std::string& text) {
  return parse_pgm({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "x.pgm");
}

TEST(Pgm, ReadsBinaryAndText) {
  const GrayImage binary = parse_pgm_text("P5\n# made by hand\n3 2 255\n\x01\x02\x03\x04\x05\xff");
  EXPECT_EQ(binary.width, 3);
  EXPECT_EQ(binary.height, 2);
  EXPECT_EQ(binary.pixels, (std::vector<float>{1, 2, 3, 4, 5, 255}));
  EXPECT_EQ(parse_pgm_text("P2 2 1 15 # four bits\n0\t15\n").pixels, (std::vector<float>{0, 255}));
}

TEST(Pgm, SixteenBitsAreBigEndianAndScaled) {
  const GrayImage image = parse_pgm_text(std::string("P5 2 1 65535\n\xff\xff\x80\x00", 17));
  EXPECT_FLOAT_EQ(image.pixels[0], 255.0f);
  EXPECT_NEAR(image.pixels[1], 127.5f, 0.01f);
}

TEST(Pgm, WhatIsWrittenIsReadBack) {
  const testing::TempFolder folder;
  GrayImage image(3, 1);
  image.pixels = {0.0f, 99.6f, 300.0f};
  write_pgm(folder / "a.pgm", image);
  EXPECT_EQ(read_pgm(folder / "a.pgm").pixels, (std::vector<float>{0, 100, 255}));
}

TEST(Pgm, RefusalsSayWhy) {
  const auto refuses = [](const std::string& text, const std::string& why) {
    expect_error([&] { parse_pgm_text(text); }, "[pgm] x.pgm", why);
  };
  refuses("", "does not start with P5 or P2");
  refuses("P6 1 1 255\nabc", "does not start with P5 or P2");
  refuses("P5 0 1 255\n", "the width is 0, expected 1 to 65536");
  refuses("P5 99999999999999999999 1 255\n", "or more, expected 1 to 65536");
  refuses("P5 -1 1 255\n", "byte 3: expected the width, found something else");
  refuses("P5 4 4", "expected the largest value, found the end of the file");
  refuses("P5 4 4 255\nabc", "16 bytes of pixels expected, 3 found");
  refuses("P5 16384 16384 65535\nabc", "536870912 bytes of pixels expected");
  refuses("P2 16384 16384 255\n1 2 3", "too short for 16384 x 16384 pixels");
  refuses("P5 65536 65536 255\nabc", "65536 x 65536 pixels, expected 268435456 at most");
  refuses("P5 1 1 7\n\x09", "pixel 0 is 9, the header promises 7");
  refuses("P2 1 1 7\n 9", "the next pixel is 9 or more, expected 0 to 7");
}

}  // namespace
}  // namespace adasample
