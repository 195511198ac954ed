// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/blob_detector.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr int kSteps = ScalePyramid::kSteps;
using Responses = std::array<GrayImage, kSteps + 2>;

// A second difference over pixels of width h is the second derivative of a signal of h^2 / 6 more variance.
double seen_sigma(const ScalePyramid::Level& level) {
  return std::sqrt(level.sigma() * level.sigma() + level.spacing * level.spacing / 6);
}

// sigma^4 times the determinant of the Hessian; 0 on the border.
GrayImage response(const ScalePyramid::Level& level) {
  const GrayImage& image = level.image;
  const double sigma = seen_sigma(level) / level.spacing;
  const auto scale = static_cast<float>(sigma * sigma * sigma * sigma);
  GrayImage result(image.width, image.height);
  for (int y = 1; y + 1 < image.height; ++y) {
    const float *above = image.row(y - 1), *here = image.row(y), *below = image.row(y + 1);
    float* out = result.row(y);
    for (int x = 1; x + 1 < image.width; ++x) {
      const float xx = here[x - 1] - 2 * here[x] + here[x + 1];
      const float yy = above[x] - 2 * here[x] + below[x];
      const float xy = 0.25f * (above[x - 1] - above[x + 1] - below[x - 1] + below[x + 1]);
      out[x] = scale * (xx * yy - xy * xy);
    }
  }
  return result;
}

// Larger than all 26 neighbours in position and scale.
bool is_maximum(const Responses& responses, int step, int x, int y) {
  const float value = responses[static_cast<size_t>(step)].at(x, y);
  for (int s = step - 1; s <= step + 1; ++s) {
    for (int dy = -1; dy <= 1; ++dy) {
      const float* row = responses[static_cast<size_t>(s)].row(y + dy);
      for (int dx = -1; dx <= 1; ++dx) {
        if ((s != step || dx != 0 || dy != 0) && row[x + dx] >= value) return false;
      }
    }
  }
  return true;
}

// Where the parabola through three values has its maximum, in [-1/2, 1/2].
double peak(double before, double value, double after) {
  const double curvature = before - 2 * value + after;
  return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
}

Blob refine(const ScalePyramid& pyramid, const Responses& responses, int octave, int step, int x, int y) {
  const GrayImage& here = responses[static_cast<size_t>(step)];
  const double value = here.at(x, y);
  const double along_scale =
      peak(responses[static_cast<size_t>(step) - 1].at(x, y), value, responses[static_cast<size_t>(step) + 1].at(x, y));
  const ScalePyramid::Level& level = pyramid.level(octave, step);
  const double ratio = seen_sigma(pyramid.level(octave, along_scale < 0 ? step - 1 : step + 1)) / seen_sigma(level);
  return {.x = level.spacing * (x + peak(here.at(x - 1, y), value, here.at(x + 1, y))),
          .y = level.spacing * (y + peak(here.at(x, y - 1), value, here.at(x, y + 1))),
          .sigma = seen_sigma(level) * std::pow(ratio, std::abs(along_scale)),
          .strength = std::sqrt(value)};
}

std::vector<Blob> maxima(const ScalePyramid& pyramid, const BlobOptions& options) {
  const auto floor = static_cast<float>(options.min_strength * options.min_strength);
  std::vector<Blob> blobs;
  for (int octave = 0; octave < pyramid.octave_count(); ++octave) {
    // A blob is refined by at most half a step beyond the scales searched here.
    if (pyramid.level(octave, kSteps + 1).sigma() < options.min_sigma) continue;
    if (pyramid.level(octave, 0).sigma() > options.max_sigma) break;
    Responses responses;
    for (int step = 0; step < kSteps + 2; ++step)
      responses[static_cast<size_t>(step)] = response(pyramid.level(octave, step));
    for (int step = 1; step <= kSteps; ++step) {
      const GrayImage& here = responses[static_cast<size_t>(step)];
      for (int y = 1; y + 1 < here.height; ++y) {
        for (int x = 1; x + 1 < here.width; ++x) {
          if (here.at(x, y) < floor || !is_maximum(responses, step, x, y)) continue;
          const Blob blob = refine(pyramid, responses, octave, step, x, y);
          if (blob.sigma >= options.min_sigma && blob.sigma <= options.max_sigma) blobs.push_back(blob);
        }
      }
    }
  }
  return blobs;
}

bool clash(const Blob& a, const Blob& b, double min_distance) {
  const double larger = std::max(a.sigma, b.sigma), smaller = std::min(a.sigma, b.sigma);
  return larger <= 2 * smaller && std::hypot(a.x - b.x, a.y - b.y) < min_distance * larger;
}

}  // namespace

void BlobOptions::validate() const {
  ADA_USAGE(max_count >= 1, "BlobOptions::max_count = {}, must be >= 1", max_count);
  ADA_USAGE(min_sigma > 0 && min_sigma <= max_sigma, "BlobOptions::min_sigma = {}, must be in (0, max_sigma = {}]",
            min_sigma, max_sigma);
  ADA_USAGE(min_strength > 0, "BlobOptions::min_strength = {}, must be > 0", min_strength);
  ADA_USAGE(min_distance >= 0, "BlobOptions::min_distance = {}, must be >= 0", min_distance);
}

std::vector<Blob> detect_blobs(const ScalePyramid& pyramid, const BlobOptions& options) {
  options.validate();
  std::vector<Blob> candidates = maxima(pyramid, options);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Blob& a, const Blob& b) { return a.strength > b.strength; });
  std::vector<Blob> kept;
  for (const Blob& blob : candidates) {
    if (kept.size() == static_cast<size_t>(options.max_count)) break;
    const auto clashes = [&](const Blob& other) { return clash(blob, other, options.min_distance); };
    if (std::none_of(kept.begin(), kept.end(), clashes)) kept.push_back(blob);
  }
  return kept;
}

}  // namespace adasample
