// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/image/files/images.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::TempFolder;

std::string encode(const std::string& extension, const cv::Mat& picture) {
  std::vector<uint8_t> bytes;
  cv::imencode(extension, picture, bytes);
  return {bytes.begin(), bytes.end()};
}

TEST(ReadImage, ColourBecomesGreyAnd16BitsBecome8) {
  const TempFolder folder;
  const cv::Mat colour(2, 3, CV_8UC3, cv::Scalar(10, 200, 60));  // blue, green, red
  write_file_atomically(folder / "c.png", encode(".png", colour));
  EXPECT_NEAR(read_image(folder / "c.png").at(1, 1), 0.114 * 10 + 0.587 * 200 + 0.299 * 60, 1);
  cv::Mat deep(2, 2, CV_16U, cv::Scalar(65535));
  deep.at<uint16_t>(0, 1) = 257 * 100 + 128;
  write_file_atomically(folder / "d.png", encode(".png", deep));
  const GrayImage image = read_image(folder / "d.png");
  EXPECT_NEAR(image.at(0, 0), 255, 1e-3);
  EXPECT_NEAR(image.at(1, 0), 100.5, 0.01);  // finer than eight bits
}

TEST(ReadImage, ObeysExifOrientation) {
  const TempFolder folder;
  cv::Mat wide(16, 48, CV_8U, cv::Scalar(0));
  wide.colRange(0, 16).setTo(255);  // white at the left end
  std::string jpeg = encode(".jpg", wide);
  // An APP1 segment behind the start marker: one entry, orientation 6: "turn clockwise to see it upright".
  const std::string exif(
      "\xFF\xE1\x00\x22"
      "Exif\0\0"
      "II*\0\x08\0\0\0"
      "\x01\0"
      "\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"
      "\0\0\0\0",
      36);
  jpeg.insert(2, exif);
  write_file_atomically(folder / "r.jpg", jpeg);
  const GrayImage image = read_image(folder / "r.jpg");
  EXPECT_EQ(image.width, 16);
  EXPECT_EQ(image.height, 48);
  EXPECT_GT(image.at(8, 4), 240);  // the left end is now the top
  EXPECT_LT(image.at(8, 40), 15);
}

TEST(ReadImage, RefusesRubbishByName) {
  const TempFolder folder;
  const std::string png = encode(".png", cv::Mat(40, 40, CV_8U, cv::Scalar(7)));
  const auto refuses = [&](const std::string& content, const std::string& why) {
    write_file_atomically(folder / "x.png", content);
    testing::expect_error([&] { read_image(folder / "x.png"); }, "[images]", "x.png", why);
  };
  refuses("", "empty");
  refuses("text where a picture belongs", "not a picture");
  refuses(png.substr(0, 20), "not a picture");
  testing::expect_error([&] { read_image(folder / "none.png"); }, "none.png");
}

// OpenCV itself takes half a JPEG for a whole one.
TEST(ReadImage, RefusesTruncatedPictures) {
  const TempFolder folder;
  cv::Mat noise(64, 64, CV_8U);
  cv::randu(noise, 0, 255);
  for (const std::string extension : {".jpg", ".png", ".tiff"}) {
    const std::string whole = encode(extension, noise), name = "x" + extension;
    write_file_atomically(folder / name, whole);
    EXPECT_EQ(read_image(folder / name).width, 64);
    write_file_atomically(folder / name, whole.substr(0, whole.size() / 2));
    testing::expect_error([&] { read_image(folder / name); }, "[images]", name);
  }
  const std::string tail = "\xFF\xDA bytes that a camera left behind \xFF\xD8";
  write_file_atomically(folder / "tail.jpg", encode(".jpg", noise) + tail);
  EXPECT_EQ(read_image(folder / "tail.jpg").height, 64);
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
  testing::expect_error([&] { list_images(folder / "b" / "c"); }, "[images]", "cannot be listed");
  std::filesystem::create_directory(folder / "empty");
  testing::expect_error([&] { list_images(folder / "empty"); }, "no picture in it");
}

}  // namespace
}  // namespace adasample
