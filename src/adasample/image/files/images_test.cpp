// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/images.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/files/png.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_images.h"
#include "tests/support/turned_jpeg.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

double largest_difference(const GrayImage& a, const GrayImage& b) {
  if (a.width != b.width || a.height != b.height) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) largest = std::max(largest, std::abs(double{a.pixels[i]} - b.pixels[i]));
  return largest;
}

TEST(ReadImage, TheBytesDecideNotTheName) {
  const TempFolder folder;
  const GrayImage scene = testing::blob_scene();
  write_pgm(folder / "pgm.png", scene);
  write_png(folder / "png.jpg", scene);
  testing::write_turned_jpeg(folder / "jpeg.bmp", scene, 1);
  EXPECT_LE(largest_difference(read_image(folder / "pgm.png"), scene), 0.5);
  EXPECT_LE(largest_difference(read_image(folder / "png.jpg"), scene), 0.5);
  EXPECT_LE(largest_difference(read_image(folder / "jpeg.bmp"), scene), 4) << "at quality 100";
}

// (x, y) of the upright picture is (u, v) of the stored one, by the eight orientations of EXIF.
TEST(ReadImage, ObeysEveryExifOrientation) {
  const TempFolder folder;
  const GrayImage scene = testing::blob_scene({}, 48, 32);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    testing::write_turned_jpeg(folder / "t.jpg", scene, orientation);
    const GrayImage stored = read_image(folder / "t.jpg", PixelOrder::kAsStored),
                    upright = read_image(folder / "t.jpg");
    EXPECT_EQ(stored.width, 48);
    EXPECT_EQ(upright.width, orientation < 5 ? 48 : 32);
    EXPECT_EQ(is_turned(folder / "t.jpg"), orientation != 1);
    const int last_u = stored.width - 1, last_v = stored.height - 1;
    for (const auto& [x, y] : {std::pair(3, 5), std::pair(20, 9), std::pair(0, 31)}) {
      const std::pair<int, int> places[] = {{x, y}, {last_u - x, y}, {last_u - x, last_v - y}, {x, last_v - y},
                                            {y, x}, {y, last_v - x}, {last_u - y, last_v - x}, {last_u - y, x}};
      const auto [u, v] = places[orientation - 1];
      EXPECT_EQ(upright.at(x, y), stored.at(u, v)) << orientation;
    }
  }
  for (const int nonsense : {0, 9, 200}) {
    testing::write_turned_jpeg(folder / "t.jpg", scene, nonsense);
    EXPECT_FALSE(is_turned(folder / "t.jpg")) << nonsense;
  }
}

TEST(ReadImage, RefusesWhatIsNoPictureByName) {
  const TempFolder folder;
  testing::write_turned_jpeg(folder / "whole.jpg", testing::blob_scene(), 1);
  const std::string jpeg = read_text(folder / "whole.jpg"), png = encode_png(testing::blob_scene());
  const auto refuses = [&](const std::string& content, const std::string& why) {
    write_file_atomically(folder / "x.png", content);
    expect_error([&] { read_image(folder / "x.png"); }, "x.png", why);
  };
  refuses("", "empty");
  refuses(png.substr(0, 20), "damaged");
  refuses(png.substr(0, png.size() / 2), "damaged");
  refuses(jpeg.substr(0, jpeg.size() / 2), "ends in the middle");
  refuses(jpeg.substr(0, 3), "ends in the middle");
  refuses("P5 100 100 255 short", "truncated");
  expect_error([&] { read_image(folder / "none.png"); }, "none.png");
  const std::string tail = "\xFF\xDA bytes that a camera left behind \xFF\xD8";
  write_file_atomically(folder / "tail.jpg", jpeg + tail);
  EXPECT_EQ(read_image(folder / "tail.jpg").height, 160);
}

// A header that claims more than there can be is refused before memory is taken.
TEST(ReadImage, ClaimsAreCheckedBeforePixelsAreDecoded) {
  const TempFolder folder;
  testing::write_turned_jpeg(folder / "a.jpg", testing::blob_scene({}, 16, 16), 1);
  std::string jpeg = read_text(folder / "a.jpg");
  const size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  const auto claim = [&](const std::string& height_and_width, const std::string& why) {
    std::string file = jpeg;
    file.replace(frame + 5, 4, height_and_width);
    write_file_atomically(folder / "x.jpg", file);
    expect_error([&] { read_image(folder / "x.jpg"); }, "x.jpg", why);
  };
  claim("\xFF\xDC\xFF\xDC", "65500 x 65500 pixels, expected 268435456 at most");
  claim("\x3F\xFF\x3F\xFF", "too few for 16383 x 16383 pixels");
  jpeg[frame + 1] = '\xC9';  // arithmetic coding, which takes less than a bit a block
  claim("\x3F\xFF\x3F\xFF", "too few for 16383 x 16383 pixels");
}

TEST(ReadImage, OtherFormatsNeedADecoder) {
  const TempFolder folder;
  write_file_atomically(folder / "x.tif", "P6 1 1 255\n");
  set_decoder_of_other_formats(nullptr);
  expect_error([&] { read_image(folder / "x.tif"); }, "x.tif: not a JPEG, PNG, PGM or plain BMP", "OpenCV");
  set_decoder_of_other_formats(
      [](std::span<const uint8_t> file, const std::string&, PixelOrder) { return GrayImage(int(file.size()), 1, 9); });
  EXPECT_EQ(read_image(folder / "x.tif").width, 11);
  set_decoder_of_other_formats(nullptr);
}

TEST(ListImages, FindsPicturesInSubfoldersInOrder) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "b");
  for (const char* name : {"b/2.JPG", "a.png", "notes.txt", ".hidden.png", "c.tiff"}) {
    write_file_atomically(folder / name, "x");
  }
  const auto found = list_images(folder.path());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].filename(), "a.png");
  EXPECT_EQ(found[1].filename(), "2.JPG");
  EXPECT_EQ(found[2].filename(), "c.tiff");
  EXPECT_EQ(list_images(folder.path(), /*recursive=*/false).size(), 2u);
  expect_error([&] { list_images(folder / "b" / "c"); }, "[images]", "cannot be listed");
  std::filesystem::create_directory(folder / "empty");
  expect_error([&] { list_images(folder / "empty"); }, "no picture in it");
}

}  // namespace
}  // namespace adasample
