// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <streambuf>

#include "adasample/base/error.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/opencv/mat_image.h"
#include "adasample/image/files/picture_size.h"

namespace adasample {
namespace {

thread_local bool decoding = false;

// std::cerr, but for what OpenCV writes there itself while it decodes: exceptions that it swallows.
class CerrWithoutDecoders : public std::streambuf {
 public:
  explicit CerrWithoutDecoders(std::streambuf* behind) : behind_(behind) {}

 protected:
  int_type overflow(int_type c) override { return decoding ? traits_type::not_eof(c) : behind_->sputc(char(c)); }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return decoding ? size : behind_->sputn(text, size);
  }
  int sync() override { return behind_->pubsync(); }

 private:
  std::streambuf* behind_;
};

// Of a file that check_other_format() has let through.
GrayImage decode_by_opencv(std::span<const uint8_t> file, const std::string& name, PixelOrder order) {
  ADA_CHECK(file.size() <= std::numeric_limits<int>::max(), "[images] {}: {} bytes, expected less than 2 GiB", name,
            file.size());
  const int flags =
      cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH | (order == PixelOrder::kAsStored ? cv::IMREAD_IGNORE_ORIENTATION : 0);
  const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8U, const_cast<uint8_t*>(file.data()));
  cv::Mat decoded;
  std::string reason = "not a picture that OpenCV can decode, or a damaged one";
  decoding = true;
  try {
    decoded = cv::imdecode(bytes, flags);
  } catch (const cv::Exception& error) {
    reason = error.err;
  }
  decoding = false;
  ADA_CHECK(!decoded.empty(), "[images] {}: {}", name, reason);
  check_picture_size(static_cast<uint64_t>(decoded.cols), static_cast<uint64_t>(decoded.rows), "images", name);
  ADA_CHECK(decoded.depth() == CV_8U || decoded.depth() == CV_16U,
            "[images] {}: expected 8 or 16 bits a pixel, found {}", name, cv::typeToString(decoded.type()));
  return to_gray_image(decoded);
}

}  // namespace

void register_opencv_pictures() { set_decoder_of_other_formats(decode_by_opencv); }

void silence_opencv() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  static auto* const quiet = new CerrWithoutDecoders(std::cerr.rdbuf());  // never gone: the library flushes cerr last
  std::cerr.rdbuf(quiet);
}

}  // namespace adasample
