// SPDX-License-Identifier: Apache-2.0
// Matches two photographs: match_photographs A.jpg B.jpg [MODEL]
#include <cstdio>
#include <stdexcept>

#include "adasample/engine/open_model.h"
#include "adasample/features/describe_picture.h"
#include "adasample/features/match_pictures.h"
#include "adasample/features/use_opencv.h"

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("usage: match_photographs A.jpg B.jpg [MODEL]");
  adasample::use_opencv();  // for the geometry, and for models like rootsift
  const auto opened = adasample::open_model(argc > 3 ? argv[3] : "default");
  const auto first = adasample::describe_picture(argv[1], *opened.descriptor);
  const auto second = adasample::describe_picture(argv[2], *opened.descriptor);
  const auto found = adasample::match_pictures(first, second, {.ratio = 0.95});
  std::printf("%zu and %zu keypoints, %zu matches, %d inliers\n", first.keypoints.size(), second.keypoints.size(),
              found.kept.size(), static_cast<int>(found.inliers()));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
