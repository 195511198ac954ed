// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "adasample/base/error.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/opencv_part.h"

namespace adasample {

void DrawingOptions::validate() const {
  ADA_USAGE(most_lines >= 1 && most_lines <= 100'000, "DrawingOptions::most_lines = {}, must be 1 to 100,000",
            most_lines);
  ADA_USAGE(width >= 200 && width <= 10'000, "DrawingOptions::width = {}, must be 200 to 10,000", width);
}

bool can_draw_matches() { return opencv_part().draw_matches != nullptr; }

std::string draw_matches(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                         const DrawingOptions& options) {
  options.validate();
  ADA_ASSERT(!bands.empty());
  ADA_CHECK(can_draw_matches(), "[match] this program was built without OpenCV, which draws - leave out --out");
  return opencv_part().draw_matches(first, second, bands, options);
}

std::vector<size_t> spread_choice(const std::vector<Point2>& points, size_t count) {
  std::vector<size_t> chosen;
  std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());  // squared, to a chosen point
  for (size_t next = 0; chosen.size() < std::min(count, points.size());) {
    chosen.push_back(next);
    for (size_t i = 0; i < points.size(); ++i) {
      const double dx = points[i].x - points[next].x, dy = points[i].y - points[next].y;
      nearest[i] = std::min(nearest[i], dx * dx + dy * dy);
    }
    nearest[next] = -1;
    next = static_cast<size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return chosen;
}

}  // namespace adasample
