// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/opencv/mat_image.h"

#include <algorithm>

#include "adasample/base/error.h"

namespace adasample {

GrayImage to_gray_image(const cv::Mat& grey) {
  ADA_ASSERT(grey.channels() == 1);
  cv::Mat floats;
  grey.convertTo(floats, CV_32F, grey.depth() == CV_16U ? 1 / 257.0 : 1.0);
  GrayImage image(floats.cols, floats.rows);
  for (int y = 0; y < floats.rows; ++y) std::copy_n(floats.ptr<float>(y), floats.cols, image.row(y));
  return image;
}

}  // namespace adasample
