// SPDX-License-Identifier: Apache-2.0
#include <opencv2/features2d.hpp>

#include "adasample/features/opencv/opencv_functions.h"

namespace adasample {

std::vector<Match> match_rows_by_opencv(std::span<const float> a, std::span<const float> b, int dimension,
                                        bool approximate) {
  const auto matrix = [&](std::span<const float> rows) {
    return cv::Mat(static_cast<int>(rows.size()) / dimension, dimension, CV_32F, const_cast<float*>(rows.data()));
  };
  const auto nearest_two = [&](const cv::Mat& from, const cv::Mat& to) {
    std::vector<std::vector<cv::DMatch>> found;
    const cv::Ptr<cv::DescriptorMatcher> matcher = cv::DescriptorMatcher::create(
        approximate ? cv::DescriptorMatcher::FLANNBASED : cv::DescriptorMatcher::BRUTEFORCE);
    matcher->knnMatch(from, to, found, 2);
    return found;
  };
  const auto of_a = nearest_two(matrix(a), matrix(b)), of_b = nearest_two(matrix(b), matrix(a));
  std::vector<Match> matches;
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i].empty()) continue;
    const auto j = static_cast<size_t>(of_a[i].front().trainIdx);
    if (of_b[j].empty() || of_b[j].front().trainIdx != static_cast<int>(i)) continue;
    matches.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
  }
  return matches;
}

}  // namespace adasample
