// SPDX-License-Identifier: Apache-2.0
// What reaches OpenCV, and what is refused before: headers are written by hand, as somebody would who means harm.
#include "adasample/image/files/other_formats.h"

#include <gtest/gtest.h>

#include "adasample/base/error.h"
#include "adasample/image/files/images.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

std::string number(uint64_t value, int bytes, bool big_endian = false) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * (big_endian ? bytes - 1 - i : i));
  return text;
}

struct TiffTag {
  uint32_t tag, value;
};

std::string tiff(const std::vector<TiffTag>& tags, bool big_endian = false, int magic = 42) {
  const auto n = [&](uint64_t value, int bytes) { return number(value, bytes, big_endian); };
  std::string file = (big_endian ? "MM" : "II") + n(static_cast<uint64_t>(magic), 2) + n(8, 4) + n(tags.size(), 2);
  for (const auto& [tag, value] : tags) file += n(tag, 2) + n(4, 2) + n(1, 4) + n(value, 4);
  return file + n(0, 4);
}

std::string webp(const std::string& chunk, const std::string& content) {
  return "RIFF" + number(content.size() + 12, 4) + "WEBP" + chunk + number(content.size(), 4) + content;
}
std::string lossy_webp(uint32_t width, uint32_t height) {
  return webp("VP8 ", std::string("\x30\x01\0\x9d\x01\x2a", 6) + number(width, 2) + number(height, 2));
}
std::string lossless_webp(uint32_t width, uint32_t height) {
  return webp("VP8L", "\x2f" + number((width - 1) | (height - 1) << 14, 4));
}
std::string extended_webp(uint32_t width, uint32_t height) {
  return webp("VP8X", std::string(4, '\0') + number(width - 1, 3) + number(height - 1, 3));
}

std::string bmp(int32_t width, int32_t height) {
  return "BM" + std::string(12, '\0') + number(40, 4) + number(static_cast<uint32_t>(width), 4) +
         number(static_cast<uint32_t>(height), 4) + std::string("\1\0\x10\0", 4);
}
std::string old_bmp(uint32_t width, uint32_t height) {
  return "BM" + std::string(12, '\0') + number(12, 4) + number(width, 2) + number(height, 2) + std::string(4, '\0');
}

void check(const std::string& file) {
  check_other_format({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "x");
}

const std::vector<std::string> kSmall = {
    tiff({{256, 40}, {257, 30}}),
    tiff({{256, 40}, {257, 30}}, true),
    lossy_webp(40, 30),
    lossless_webp(40, 30),
    extended_webp(40, 30),
    bmp(40, -30),
    old_bmp(40, 30),
    "P6 40 30 255\n",
    "P3\n# a comment\n40 30 255",
    "P4\t40\n30\n",
};

TEST(OtherFormats, ThoseOfTheListAreLetThrough) {
  for (const std::string& file : kSmall) EXPECT_NO_THROW(check(file)) << file.substr(0, 16);
}

TEST(OtherFormats, NoOtherReachesOpencv) {
  // OpenCV 4.6 as Debian builds it would decode each of these; the last by GDAL and by GDCM.
  const std::vector<std::string> others = {
      std::string("\0\0\0\x0cjP  \r\n\x87\n", 12) + std::string(200, '\0'),  // JPEG 2000
      std::string("\xff\x4f\xff\x51", 4) + std::string(200, '\0'),           // its codestream
      "#?RADIANCE\n\n-Y 8 +X 8\n",
      std::string("\x76\x2f\x31\x01", 4) + std::string(200, '\0'),  // OpenEXR
      std::string("\x59\xa6\x6a\x95", 4) + std::string(200, '\0'),  // Sun raster
      "PF\n8 8\n-1.0\n" + std::string(256, '\0'),
      "P7\nWIDTH 8\nHEIGHT 8\nDEPTH 1\nMAXVAL 255\nENDHDR\n" + std::string(64, '\0'),
      "GIF89a" + std::string(200, '\0'),
      "NITF02.10" + std::string(400, '\0'),
      std::string(128, '\0') + "DICM" + std::string(200, '\0'),
      "<VRTDataset rasterXSize=\"8\"><SourceFilename>/etc/passwd</SourceFilename></VRTDataset>",
      tiff({{256, 40}, {257, 30}}, false, 43),  // BigTIFF
      "RIFF1234AVI LIST",
      "P6",
      "P5x",
      "II",
      "B",
      "text where a picture belongs",
  };
  static int asked = 0;
  set_decoder_of_other_formats([](std::span<const uint8_t>, const std::string&, PixelOrder) {
    ++asked;
    return GrayImage(1, 1);
  });
  const auto parse = [](const std::string& file) {
    return parse_image({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "x");
  };
  for (const std::string& file : others) {
    expect_error([&] { parse(file); }, "x", "");
    EXPECT_EQ(asked, 0) << file.substr(0, 16);
  }
  for (const std::string& file : kSmall) parse(file);
  EXPECT_EQ(asked, std::ssize(kSmall));
  set_decoder_of_other_formats(nullptr);
}

TEST(OtherFormats, SizesAreAskedBeforeMemoryIsTaken) {
  for (const std::string& file :
       {tiff({{256, 60000}, {257, 60000}}), tiff({{256, 0xFFFFFFFF}, {257, 0xFFFFFFFF}}), bmp(60000, 60000),
        tiff({{256, 8}, {257, 8}, {322, 1 << 20}, {323, 1 << 20}}),  // a tile
        tiff({{256, 8}, {257, 8}, {256, 60000}, {257, 60000}}),      // said twice
        bmp(-2147483647 - 1, -2147483647 - 1), extended_webp(1 << 24, 1 << 24), std::string("P6 65536 65536 255\n")}) {
    expect_error([&] { check(file + std::string(1 << 16, '\0')); }, "[images]", "pixels, expected 268435456 at most");
  }
  for (const std::string& file : {tiff({{256, 16000}, {257, 16000}}), lossy_webp(16383, 16383), old_bmp(16000, 16000),
                                  lossless_webp(16383, 16383), std::string("P1 16000 16000\n")}) {
    expect_error([&] { check(file); }, "[images]", "are too few");
    EXPECT_NO_THROW(check(file + std::string(1 << 15, '\0')));
  }
  for (const std::string& file :
       {tiff({{256, 8}}), tiff({{257, 8}}), tiff({}), bmp(0, 8), lossy_webp(0, 8), webp("VP8Y", "12345678"),
        std::string("BM"), std::string("RIFF1234WEBP"), webp("VP8 ", ""), tiff({{256, 8}, {257, 8}}).substr(0, 30)}) {
    expect_error([&] { check(file); }, "[images]", "does not say how large");
  }
  expect_error([] { check("P6 8"); }, "[pgm]", "height");
  expect_error([] { check("P3 8 99999999999999999999"); }, "[pgm]", "height");
}

}  // namespace
}  // namespace adasample
