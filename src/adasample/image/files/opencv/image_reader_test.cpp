// SPDX-License-Identifier: Apache-2.0
// Our readers beside OpenCV's, and what OpenCV reads for us.
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/opencv/mat_image.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::TempFolder;

std::vector<uint8_t> encode(const std::string& extension, const cv::Mat& picture,
                            const std::vector<int>& options = {}) {
  std::vector<uint8_t> bytes;
  cv::imencode(extension, picture, bytes, options);
  return bytes;
}

// Smooth noise, as pictures have it.
cv::Mat some_picture(int type) {
  cv::Mat noise(61, 83, type), picture;
  cv::theRNG().state = 7;
  cv::randu(noise, 0, CV_MAT_DEPTH(type) == CV_16U ? 65536 : 256);
  cv::blur(noise, picture, {3, 3});
  return picture;
}

void expect_same_as_opencv(const std::vector<uint8_t>& file, const std::string& what) {
  const cv::Mat decoded = cv::imdecode(file, cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH);
  ASSERT_FALSE(decoded.empty()) << what;
  const GrayImage theirs = to_gray_image(decoded), ours = parse_image(file, what);
  ASSERT_EQ(ours.width, theirs.width) << what;
  EXPECT_EQ(ours.pixels, theirs.pixels) << what;
}

TEST(ReadImage, PixelsAreThoseOfOpencv) {
  set_decoder_of_other_formats(nullptr);  // ours read them all
  for (const int type : {CV_8UC1, CV_8UC3}) {
    const std::string channels = type == CV_8UC1 ? " grey" : " colour";
    expect_same_as_opencv(encode(".jpg", some_picture(type)), "JPEG" + channels);
    expect_same_as_opencv(encode(".jpg", some_picture(type), {cv::IMWRITE_JPEG_PROGRESSIVE, 1}),
                          "progressive" + channels);
    expect_same_as_opencv(encode(".jpg", some_picture(type), {cv::IMWRITE_JPEG_RST_INTERVAL, 2}),
                          "restarts" + channels);
    expect_same_as_opencv(encode(".png", some_picture(type)), "PNG" + channels);
    expect_same_as_opencv(encode(".bmp", some_picture(type)), "BMP" + channels);
  }
  for (const int type : {CV_16UC1, CV_16UC3, CV_8UC4, CV_16UC4}) {
    expect_same_as_opencv(encode(".png", some_picture(type)), "PNG of type " + cv::typeToString(type));
  }
  expect_same_as_opencv(encode(".png", some_picture(CV_8UC1) > 128, {cv::IMWRITE_PNG_BILEVEL, 1}), "PNG of one bit");
  expect_same_as_opencv(encode(".pgm", some_picture(CV_8UC1)), "PGM");
}

TEST(ReadImage, OpencvReadsTheRest) {
  const TempFolder folder;
  register_opencv_pictures();
  for (const std::string extension : {".tiff", ".ppm", ".webp"}) {
    const std::vector<uint8_t> whole = encode(extension, some_picture(CV_8UC3));
    const std::string name = "x" + extension;
    write_file_atomically(folder / name, std::string(whole.begin(), whole.end()));
    EXPECT_EQ(read_image(folder / name).width, 83) << extension;
    write_file_atomically(folder / name, std::string(whole.begin(), whole.begin() + std::ssize(whole) / 2));
    testing::expect_error([&] { read_image(folder / name); }, "[images]", name);
  }
  write_file_atomically(folder / "x.png", "text where a picture belongs");
  testing::expect_error([&] { read_image(folder / "x.png"); }, "[images]", "x.png", "not a picture");
}

}  // namespace
}  // namespace adasample
