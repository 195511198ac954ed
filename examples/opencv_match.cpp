// SPDX-License-Identifier: Apache-2.0
// Matches two pictures of a plane with OpenCV's own tools: opencv_match A.jpg B.jpg OUT.jpg [WEIGHTS | sift]
#include <cstdio>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string>

#include "adasample/integrate/opencv_feature2d.h"

namespace {

struct Picture {
  cv::Mat pixels, descriptors;
  std::vector<cv::KeyPoint> keypoints;

  Picture(const std::string& path, cv::Feature2D& feature) : pixels(cv::imread(path)) {
    if (pixels.empty()) throw std::runtime_error(path + ": not a picture OpenCV can read");
    feature.detectAndCompute(pixels, cv::noArray(), keypoints, descriptors);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4 || argc > 5) throw std::runtime_error("usage: opencv_match A.jpg B.jpg OUT.jpg [WEIGHTS | sift]");
  const std::string weights = argc == 5 ? argv[4] : "default";
  const cv::Ptr<cv::Feature2D> sift = cv::SIFT::create(2000);
  const cv::Ptr<cv::Feature2D> feature =
      weights == "sift" ? sift : cv::Ptr<cv::Feature2D>(adasample::Descriptor2D::create(weights, sift));
  const Picture a(argv[1], *feature), b(argv[2], *feature);

  std::vector<std::vector<cv::DMatch>> nearest;
  const float most = weights == "sift" ? 0.8f : 0.9f;  // Lowe's ratio: learned descriptors lie closer together
  cv::FlannBasedMatcher().knnMatch(a.descriptors, b.descriptors, nearest, 2);
  std::vector<cv::DMatch> matches;
  std::vector<cv::Point2f> from, to;
  for (const auto& two : nearest) {
    if (two.size() < 2 || two[0].distance > most * two[1].distance) continue;
    matches.push_back(two[0]);
    from.push_back(a.keypoints[static_cast<size_t>(two[0].queryIdx)].pt);
    to.push_back(b.keypoints[static_cast<size_t>(two[0].trainIdx)].pt);
  }
  cv::Mat inlier;
  if (matches.size() >= 4) cv::findHomography(from, to, cv::USAC_MAGSAC, 3, inlier, 10000, 0.9999);
  const std::vector<char> shown(inlier.begin<uchar>(), inlier.end<uchar>());
  std::printf("%zu and %zu keypoints, %zu matches, %d inliers\n", a.keypoints.size(), b.keypoints.size(),
              matches.size(), inlier.empty() ? 0 : cv::countNonZero(inlier));

  cv::Mat drawn;
  cv::drawMatches(a.pixels, a.keypoints, b.pixels, b.keypoints, matches, drawn, cv::Scalar::all(-1),
                  cv::Scalar::all(-1), shown, cv::DrawMatchesFlags::NOT_DRAW_SINGLE_POINTS);
  return cv::imwrite(argv[3], drawn) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
