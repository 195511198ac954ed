// SPDX-License-Identifier: Apache-2.0
// Two pictures side by side and the matches between them, as a PNG: a band a model, one below the other. Inliers are
// coloured by their height in the first picture, all as dots and some as lines; other matches are faint and grey.
#pragma once

#include <string>
#include <vector>

#include "adasample/image/affine.h"
#include "adasample/image/image.h"

namespace adasample {

struct DrawnMatch {
  Point2 first, second;  // pixels of the pictures
  bool inlier = false;
};

struct MatchBand {
  std::string title, caption;  // ASCII; the caption stands behind the title
  std::vector<DrawnMatch> matches;
};

struct DrawingOptions {
  int most_lines = 100;  // of inliers, and of others half as many: an even choice over the first picture
  int width = 1600;      // of the drawing, pixels, unless the pictures are smaller

  void validate() const;
};

bool can_draw_matches();  // whether the program has OpenCV

// The bytes of the file. Throws Error where the program has no OpenCV.
std::string draw_matches(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                         const DrawingOptions& options);

// Indices of `count` points at most that lie as far from each other as can be: the first point, then again and again
// the one that is farthest from all chosen so far.
std::vector<size_t> spread_choice(const std::vector<Point2>& points, size_t count);

}  // namespace adasample
