// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/png.h"

#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using Bytes = std::vector<uint8_t>;

std::string word(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return word(static_cast<uint32_t>(content.size())) + body + word(static_cast<uint32_t>(sum));
}

// A PNG file made without libpng: `rows` as the file holds them, each begun by its filter type.
struct HandMade {
  uint32_t width, height;
  int depth, colour;  // colour: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  Bytes rows;
  std::string before_pixels;  // chunks
  bool interlaced = false;

  std::string file() const {
    uLongf size = compressBound(rows.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, rows.data(), rows.size());
    packed.resize(size);
    const std::string header = word(width) + word(height) + static_cast<char>(depth) + static_cast<char>(colour) +
                               std::string(2, '\0') + static_cast<char>(interlaced);
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + before_pixels + chunk("IDAT", packed) + chunk("IEND", "");
  }
};

ByteImage parse_png_bytes(const std::string& file) {
  return parse_png({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "a.png");
}

ByteImage pattern(int width, int height) {
  ByteImage image{width, height, Bytes(static_cast<size_t>(width * height))};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return image;
}

TEST(Png, WhatIsWrittenIsRead) {
  const ByteImage image = pattern(65, 3 * 65);
  const ByteImage again = parse_png_bytes(encode_png(image));
  EXPECT_EQ(again.width, 65);
  EXPECT_EQ(again.height, 195);
  EXPECT_EQ(again.pixels, image.pixels);
}

TEST(Png, GreyOfAnyDepthBecomesBytes) {
  const auto grey = [](int depth, Bytes rows) { return HandMade{4, 1, depth, 0, std::move(rows), ""}; };
  EXPECT_EQ(parse_png_bytes(grey(1, {0, 0b10110000}).file()).pixels, (Bytes{255, 0, 255, 255}));
  EXPECT_EQ(parse_png_bytes(grey(2, {0, 0b00011011}).file()).pixels, (Bytes{0, 85, 170, 255}));
  EXPECT_EQ(parse_png_bytes(grey(4, {0, 0x0f, 0x18}).file()).pixels, (Bytes{0, 255, 17, 136}));
  EXPECT_EQ(parse_png_bytes(grey(8, {0, 0, 1, 128, 255}).file()).pixels, (Bytes{0, 1, 128, 255}));
  // 0x00ff is 0.99 of a grey level, 0x0080 just below half of one: rounded, not cut.
  EXPECT_EQ(parse_png_bytes(grey(16, {0, 0x00, 0xff, 0x00, 0x80, 0xff, 0xff, 0x12, 0x12}).file()).pixels,
            (Bytes{1, 0, 255, 0x12}));
}

TEST(Png, StatedGammaChangesNothing) {
  HandMade file{3, 1, 8, 0, {0, 10, 100, 200}, chunk("gAMA", word(100000))};
  EXPECT_EQ(parse_png_bytes(file.file()).pixels, (Bytes{10, 100, 200}));
  file.before_pixels = chunk("gAMA", word(20000)) + chunk("sRGB", std::string(1, '\0'));
  EXPECT_EQ(parse_png_bytes(file.file()).pixels, (Bytes{10, 100, 200}));
}

TEST(Png, ColourBecomesGreyAndAlphaIsIgnored) {
  const Bytes expected = {76, 150, 29, 255};  // 0.299, 0.587, 0.114 of 255, rounded; white
  HandMade rgb{4, 1, 8, 2, {0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}, ""};
  EXPECT_EQ(parse_png_bytes(rgb.file()).pixels, expected);
  rgb.before_pixels = chunk("gAMA", word(45455));
  EXPECT_EQ(parse_png_bytes(rgb.file()).pixels, expected);
  const HandMade rgba{4, 1, 8, 6, {0, 255, 0, 0, 9, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255, 255, 1}, ""};
  EXPECT_EQ(parse_png_bytes(rgba.file()).pixels, expected);
  const std::string palette("\xff\0\0\0\xff\0\0\0\xff\xff\xff\xff", 12);
  HandMade indexed{4, 1, 2, 3, {0, 0b00011011}, chunk("PLTE", palette)};
  EXPECT_EQ(parse_png_bytes(indexed.file()).pixels, expected);
  indexed.before_pixels += chunk("tRNS", std::string("\0\x80", 2));
  EXPECT_EQ(parse_png_bytes(indexed.file()).pixels, expected);
  EXPECT_EQ(parse_png_bytes(HandMade{2, 1, 8, 4, {0, 10, 0, 20, 255}, ""}.file()).pixels, (Bytes{10, 20}));
}

TEST(Png, InterlacedIsReadInAllItsPasses) {
  // Adam7 of 3 x 3: passes 1, 4, 5, 6, 7 hold pixels 0 | 2 | 6, 8 | 1, 7 | 3, 4, 5 (5 in pass 7's only row).
  const HandMade file{3, 3, 8, 0, {0, 0, 0, 20, 0, 60, 80, 0, 10, 0, 70, 0, 30, 40, 50}, "", true};
  EXPECT_EQ(parse_png_bytes(file.file()).pixels, (Bytes{0, 10, 20, 30, 40, 50, 60, 70, 80}));
}

TEST(Png, TruncatedAnywhereIsAnError) {
  const std::string file = encode_png(pattern(20, 20));
  for (size_t size = 0; size < file.size(); ++size) {
    expect_error([&] { parse_png_bytes(file.substr(0, size)); }, "[png] a.png: ");
  }
  expect_error([&] { parse_png_bytes(""); }, "found an empty file", "unfinished download?");
  expect_error([&] { parse_png_bytes(file.substr(0, file.size() / 2)); }, "[png] a.png: expected a whole PNG image",
               "the file ends in the middle - truncated?");
}

TEST(Png, DamagedByteIsAnErrorOrOfNoConsequence) {
  const ByteImage image = pattern(20, 20);
  const std::string file = encode_png(image);
  size_t errors = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    try {
      EXPECT_EQ(parse_png_bytes(damaged).pixels, image.pixels) << "byte " << i;  // of a chunk we do not read
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, file.size() / 2);
}

TEST(Png, OtherFilesAndMissingRowsAreErrors) {
  expect_error([&] { parse_png_bytes("<html>404 Not Found</html>"); }, "[png] a.png: ", "expected the signature",
               "download?");
  const HandMade short_of_rows{4, 2, 8, 0, {0, 1, 2, 3, 4}, ""};  // one row of two
  expect_error([&] { parse_png_bytes(short_of_rows.file()); }, "[png] a.png: expected a whole PNG image");
}

TEST(Png, SizesThatTheFileCannotHoldAreRefusedBeforeMemoryIsTaken) {
  const HandMade tall{65, 130000, 8, 0, {0, 1}, ""};
  expect_error([&] { parse_png_bytes(tall.file()); }, "bytes are too few for 65 x 130000 pixels - truncated?");
  const HandMade huge{1000000, 1000000, 1, 0, {0, 1}, ""};
  expect_error([&] { parse_png_bytes(huge.file()); }, "1000000 x 1000000 pixels, expected 268435456 at most");
  expect_error([&] { parse_png_bytes(HandMade{0, 5, 8, 0, {0}, ""}.file()); }, "[png] a.png: ");
}

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
  EXPECT_EQ(read_png(folder / "a.png").pixels, Bytes(64, 100));
  expect_error([&] { write_png(folder / "none" / "a.png", image); }, "a.png", "cannot be created");
  expect_error([&] { read_png(folder / "none.png"); }, "none.png");
}

}  // namespace
}  // namespace adasample
