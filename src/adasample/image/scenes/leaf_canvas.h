// SPDX-License-Identifier: Apache-2.0
// A canvas painted from front to back: a pixel belongs to the first shape that claims it. Each row remembers, for every
// pixel, the next free one at or behind it (union-find with path halving), so that covered stretches are skipped at
// once and a scene costs its area, not the sum of its shapes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adasample/image/affine.h"
#include "adasample/image/image.h"

namespace adasample {

class LeafCanvas {
 public:
  LeafCanvas(int width, int height);

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  int64_t free_count() const { return free_count_; }
  const GrayImage& image() const { return image_; }

  // Calls shade(x, y) for every free pixel of row y in [begin, end] and claims it with the result.
  template <typename Shade>
  void paint_span(int y, double begin, double end, const Shade& shade) {
    int x = static_cast<int>(std::ceil(std::max(begin, 0.0)));
    const int last = static_cast<int>(std::floor(std::min(end, width() - 1.0)));
    int* next = next_free_.data() + static_cast<size_t>(y) * static_cast<size_t>(width() + 1);
    float* row = image_.row(y);
    for (; x <= last; ++x) {
      x = find(next, x);
      if (x > last) return;
      row[x] = shade(x, y);
      next[x] = x + 1;
      --free_count_;
    }
  }

  // The image of the unit disc.
  template <typename Shade>
  void paint_ellipse(const Affine2& canvas_from_unit, const Shade& shade) {
    const Affine2& m = canvas_from_unit;
    const double height = std::hypot(m.c, m.d);
    const Affine2 unit_from_canvas = m.inverse();
    for_rows(m.ty - height, m.ty + height, [&](int y) {
      // |unit_from_canvas (x, y)|^2 = 1 is quadratic in x.
      const Point2 at_zero = unit_from_canvas({0, static_cast<double>(y)});
      const double dx = unit_from_canvas.a, dy = unit_from_canvas.c;
      const double square = dx * dx + dy * dy, half = dx * at_zero.x + dy * at_zero.y;
      const double under_root = half * half - square * (at_zero.x * at_zero.x + at_zero.y * at_zero.y - 1);
      if (under_root < 0) return;
      const double root = std::sqrt(under_root);
      paint_span(y, (-half - root) / square, (-half + root) / square, shade);
    });
  }

  // Even-odd filling; the outline closes itself.
  template <typename Shade>
  void paint_polygon(const std::vector<Point2>& outline, const Shade& shade) {
    double top = outline[0].y, bottom = top;
    for (const Point2 p : outline) {
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
    }
    std::vector<double> crossings;
    for_rows(top, bottom, [&](int y) {
      crossings.clear();
      for (size_t i = 0; i < outline.size(); ++i) {
        const Point2 a = outline[i], b = outline[(i + 1) % outline.size()];
        if ((a.y <= y) != (b.y <= y)) crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
      }
      std::sort(crossings.begin(), crossings.end());
      for (size_t i = 0; i + 1 < crossings.size(); i += 2) paint_span(y, crossings[i], crossings[i + 1], shade);
    });
  }

 private:
  template <typename Row>
  void for_rows(double top, double bottom, const Row& row) {
    const int first = static_cast<int>(std::ceil(std::max(top, 0.0)));
    const int last = static_cast<int>(std::floor(std::min(bottom, height() - 1.0)));
    for (int y = first; y <= last; ++y) row(y);
  }

  static int find(int* next, int x) {
    while (next[x] != x) x = next[x] = next[next[x]];
    return x;
  }

  GrayImage image_;
  std::vector<int> next_free_;  // (height, width + 1); the last entry of a row is always free
  int64_t free_count_;
};

}  // namespace adasample
