// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <span>
#include <string>

#include "adasample/base/error.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/opencv/mat_image.h"

namespace adasample {
namespace {

constexpr int64_t kMostPixels = int64_t{1} << 28;  // 16k x 16k: a gigabyte as floats

// OpenCV fills what is missing of a JPEG with grey and says nothing. A whole one has segments and scans up to an end
// marker; what stands behind that (a camera's film) is nobody's business.
bool is_cut_off_jpeg(std::span<const uint8_t> file) {
  if (file.size() < 3 || file[0] != 0xFF || file[1] != 0xD8 || file[2] != 0xFF) return false;
  const auto stands_alone = [](uint8_t code) { return code == 0x01 || (code >= 0xD0 && code <= 0xD7); };
  for (size_t at = 2; at + 1 < file.size();) {
    const uint8_t code = file[at + 1];
    // Coded pixels and fill bytes are stepped over; in pixels FF is followed by 00.
    if (file[at] != 0xFF || code == 0x00 || code == 0xFF || stands_alone(code)) {
      ++at;
    } else if (code == 0xD9) {
      return false;
    } else {
      if (at + 3 >= file.size()) return true;
      at += size_t{2} + file[at + 2] * size_t{256} + file[at + 3];
    }
  }
  return true;
}

GrayImage decode(const std::filesystem::path& path, int flags) {
  static std::once_flag quiet;
  std::call_once(quiet, [] { cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); });
  const MappedFile file(path);
  ADA_CHECK(!file.bytes().empty(), "[images] {}: the file is empty", path.string());
  ADA_CHECK(file.bytes().size() <= std::numeric_limits<int>::max(), "[images] {}: {} bytes, expected less than 2 GiB",
            path.string(), file.bytes().size());
  ADA_CHECK(!is_cut_off_jpeg(file.bytes()), "[images] {}: the picture ends in the middle - truncated?", path.string());
  const cv::Mat bytes(1, static_cast<int>(file.bytes().size()), CV_8U, const_cast<uint8_t*>(file.bytes().data()));
  cv::Mat decoded;
  std::string reason = "not a picture OpenCV can decode, or a damaged one";
  try {
    decoded = cv::imdecode(bytes, cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH | flags);
  } catch (const cv::Exception& error) {
    reason = error.err;
  }
  ADA_CHECK(!decoded.empty(), "[images] {}: {}", path.string(), reason);
  ADA_CHECK(decoded.total() <= static_cast<size_t>(kMostPixels), "[images] {}: {} x {} pixels, expected {} at most",
            path.string(), decoded.cols, decoded.rows, kMostPixels);
  ADA_CHECK(decoded.depth() == CV_8U || decoded.depth() == CV_16U,
            "[images] {}: expected 8 or 16 bits a pixel, found {}", path.string(), cv::typeToString(decoded.type()));
  return to_gray_image(decoded);
}

}  // namespace

GrayImage read_image(const std::filesystem::path& path) { return decode(path, 0); }

GrayImage read_image_as_stored(const std::filesystem::path& path) {
  return decode(path, cv::IMREAD_IGNORE_ORIENTATION);
}

}  // namespace adasample
