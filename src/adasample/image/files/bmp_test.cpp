// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/bmp.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/phototour_set.h"

namespace adasample {
namespace {

using testing::encode_bmp;
using testing::expect_error;

BmpView view(const std::string& file) {
  return BmpView({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "x.bmp");
}

std::vector<uint8_t> pixels_of(const std::string& file) {
  const BmpView bitmap = view(file);
  std::vector<uint8_t> pixels, row(static_cast<size_t>(bitmap.width()));
  for (int y = 0; y < bitmap.height(); ++y) {
    bitmap.read_row(0, y, row);
    pixels.insert(pixels.end(), row.begin(), row.end());
  }
  return pixels;
}

void set32(std::string& file, size_t at, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(value >> (8 * i));
}

const std::vector<uint8_t> kPixels = {1, 2, 3, 250, 251, 252};  // two rows of three: each is padded by a byte

TEST(Bmp, RowsComeFromTheTopWhicheverWayTheyAreStored) {
  for (const bool top_down : {false, true}) {
    const std::string file = encode_bmp(kPixels, 3, top_down);
    EXPECT_EQ(view(file).width(), 3);
    EXPECT_EQ(view(file).height(), 2);
    EXPECT_EQ(pixels_of(file), kPixels) << top_down;
  }
  EXPECT_EQ(pixels_of(encode_bmp(kPixels, 3) + "more"), kPixels);
}

TEST(Bmp, ReadsPartOfARow) {
  const std::string file = encode_bmp(kPixels, 3);
  std::vector<uint8_t> part(2);
  view(file).read_row(1, 1, part);
  EXPECT_EQ(part, (std::vector<uint8_t>{251, 252}));
  expect_error([&] { view(file).read_row(2, 1, part); }, "[bug]");
  expect_error([&] { view(file).read_row(0, 2, part); }, "[bug]");
}

TEST(Bmp, PaletteIsApplied) {
  std::string file = encode_bmp({0, 1, 2, 3}, 4);
  set32(file, 54 + 4 * 1, 0x000000ff);                                 // blue
  set32(file, 54 + 4 * 2, 0x0000ff00);                                 // green
  set32(file, 54 + 4 * 3, 0x00ff0000);                                 // red
  EXPECT_EQ(pixels_of(file), (std::vector<uint8_t>{0, 29, 150, 76}));  // as OpenCV weighs them
  set32(file, 46, 3);                                                  // three colours: the fourth is not there
  EXPECT_EQ(pixels_of(file), (std::vector<uint8_t>{0, 29, 150, 0}));
}

TEST(Bmp, ReadsTrueColour) {
  std::string file = encode_bmp({}, 1).substr(0, 54);
  set32(file, 10, 54);
  set32(file, 18, 2);
  set32(file, 22, 1);
  file[28] = 24;
  file += std::string("\x40\x40\x40\xff\x00\x00\0\0", 8);
  EXPECT_EQ(pixels_of(file), (std::vector<uint8_t>{64, 29}));
}

TEST(Bmp, RefusalsSayWhy) {
  const std::string good = encode_bmp(kPixels, 3);
  const auto refuses = [](const std::string& file, const std::string& why) {
    expect_error([&] { view(file); }, "[bmp] x.bmp", why);
  };
  const auto with = [&](size_t at, uint32_t value) {
    std::string file = good;
    set32(file, at, value);
    return file;
  };
  refuses("", "expected 'BM' first, found the end of the file");
  refuses("<html>404</html>", "expected 'BM' first, found something else - no bitmap");
  refuses(good.substr(0, 53), "expected a header of 54 bytes, found 53");
  refuses(good.substr(0, 200), "and the file's at 200, found them at 1078 - truncated?");
  refuses(good.substr(0, good.size() - 1), "expected 8 bytes of pixels, found 7 - truncated?");
  refuses(with(10, 1077), "between the palette's end at byte 1078");
  refuses(with(10, 0xffffffff), "found them at 4294967295");
  refuses(with(14, 12), "expected an info header of 40 bytes or more inside the file, found 12");
  refuses(with(14, 0xfffffff0), "found 4294967280");
  refuses(with(18, 0), "found 0 x 2");
  refuses(with(18, 0x80000000), "found -2147483648 x 2");
  refuses(with(22, 0x80000000), "found 3 x -2147483648");
  refuses(with(22, 65536), "expected 262144 bytes of pixels, found 8");
  refuses(with(28, 1), "expected 8 or 24 bits a pixel, found 1");
  refuses(with(30, 1), "expected no compression (0), found kind 1");
  refuses(with(46, 257), "expected a palette of 256 colours at most, found 257");
}

}  // namespace
}  // namespace adasample
