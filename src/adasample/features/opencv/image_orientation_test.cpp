// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <opencv2/imgcodecs.hpp>

#include "adasample/features/describe/picture_file.h"
#include "adasample/image/files/images.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// A JPEG, black on the left and white on the right, whose EXIF says it is to be turned by half a turn.
void write_upside_down(const std::filesystem::path& path) {
  cv::Mat picture(16, 32, CV_8U, cv::Scalar(0));
  picture.colRange(16, 32) = 255;
  std::vector<uint8_t> jpeg;
  ASSERT_TRUE(cv::imencode(".jpg", picture, jpeg));
  const std::string exif = {
      "\xff\xe1\0\x22"
      "Exif\0\0"
      "II*\0\x08\0\0\0"         // little-endian TIFF, its first directory at 8
      "\1\0\x12\1\3\0\1\0\0\0"  // one entry: orientation, a short
      "\3\0\0\0\0\0\0\0",       // 3; no further directory
      36};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(jpeg.data()), 2) << exif;
  file.write(reinterpret_cast<const char*>(jpeg.data()) + 2, static_cast<std::streamsize>(jpeg.size()) - 2);
}

TEST(Images, AreReadUprightOrAsStored) {
  const testing::TempFolder folder;
  write_upside_down(folder / "a.jpg");
  const GrayImage upright = read_image(folder / "a.jpg"), stored = read_image(folder / "a.jpg", PixelOrder::kAsStored);
  EXPECT_GT(upright.at(2, 8), 200);
  EXPECT_LT(upright.at(29, 8), 50);
  EXPECT_LT(stored.at(2, 8), 50);
  EXPECT_GT(stored.at(29, 8), 200);
  EXPECT_LT(PictureFile(folder / "a.jpg", {.features = {}, .as_stored = true}).image().at(2, 8), 50);
  EXPECT_GT(PictureFile(folder / "a.jpg", {}).image().at(2, 8), 200);
}

}  // namespace
}  // namespace adasample
