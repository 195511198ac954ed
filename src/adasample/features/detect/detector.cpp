// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/detector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"

namespace adasample {
namespace {

constexpr int kSteps = ScalePyramid::kSteps;
constexpr int kRows = 64;  // searched by a thread at a time
constexpr std::string_view kNames[] = {"dog", "hessian", "harris"};
constexpr std::unique_ptr<Detector> (*kMakers[])() = {make_dog_detector, make_hessian_detector, make_harris_detector};
using Responses = std::array<GrayImage, kSteps + 2>;

// Larger than all eight neighbours in position, and than the nine on each of `reach` levels above and below.
bool is_maximum(const Responses& responses, int step, int x, int y, int reach) {
  const float* here = responses[static_cast<size_t>(step)].row(y) + x;
  const float value = *here;
  if (here[-1] >= value || here[1] >= value) return false;  // most are none
  for (int s = step - reach; s <= step + reach; ++s) {
    for (int dy = -1; dy <= 1; ++dy) {
      const float* row = responses[static_cast<size_t>(s)].row(y + dy);
      for (int dx = -1; dx <= 1; ++dx) {
        if ((s != step || dx != 0 || dy != 0) && row[x + dx] >= value) return false;
      }
    }
  }
  return true;
}

Keypoint refine(const Detector& detector, const ScalePyramid& pyramid, const Responses& responses, int octave, int step,
                int x, int y) {
  const GrayImage& here = responses[static_cast<size_t>(step)];
  const double value = here.at(x, y);
  const auto at_step = [&](int s) { return responses[static_cast<size_t>(s)].at(x, y); };
  const double along_scale = detector.chooses_scale() ? parabola_peak(at_step(step - 1), value, at_step(step + 1)) : 0;
  const double sigma = detector.sigma(pyramid, octave, step);
  const double ratio = detector.sigma(pyramid, octave, along_scale < 0 ? step - 1 : step + 1) / sigma;
  const double spacing = pyramid.level(octave, step).spacing;
  return {.x = spacing * (x + parabola_peak(here.at(x - 1, y), value, here.at(x + 1, y))),
          .y = spacing * (y + parabola_peak(here.at(x, y - 1), value, here.at(x, y + 1))),
          .sigma = sigma * std::pow(ratio, std::abs(along_scale)),
          .strength = detector.strength(value)};
}

// The least number that is strong enough. Positive floats are ordered as their bits are.
float least_response(const Detector& detector, double min_strength) {
  uint32_t low = 0, high = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());  // strong enough: high only
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (detector.strength(std::bit_cast<float>(middle)) >= min_strength ? high : low) = middle;
  }
  return std::bit_cast<float>(high);
}

// The maxima of one octave.
struct Search {
  const Detector& detector;
  const ScalePyramid& pyramid;
  const Responses& responses;
  const DetectionLimits& limits;
  float least;
  int octave;

  // Of rows [begin, end) of a step.
  std::vector<Keypoint> band(int step, int begin, int end) const {
    const int reach = detector.chooses_scale() ? 1 : 0;
    const GrayImage& here = responses[static_cast<size_t>(step)];
    std::vector<Keypoint> keypoints;
    for (int y = begin; y < end; ++y) {
      const float* row = here.row(y);
      for (int x = 1; x + 1 < here.width; ++x) {
        if (row[x] < least || !is_maximum(responses, step, x, y, reach) || !detector.accepts(here, x, y)) continue;
        const Keypoint k = refine(detector, pyramid, responses, octave, step, x, y);
        if (k.sigma >= limits.min_sigma && k.sigma <= limits.max_sigma) keypoints.push_back(k);
      }
    }
    return keypoints;
  }
};

}  // namespace

std::span<const std::string_view> detector_names() { return kNames; }

std::unique_ptr<Detector> make_detector(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return kMakers[found - std::begin(kNames)]();
  ADA_THROW_KIND(kUsage, "detector = \"{}\", must be one of {}", name, fmt::join(kNames, ", "));
}

void DetectionLimits::validate() const {
  ADA_USAGE(min_sigma > 0 && min_sigma <= max_sigma, "DetectionLimits::min_sigma = {}, must be in (0, max_sigma = {}]",
            min_sigma, max_sigma);
  ADA_USAGE(min_strength > 0, "DetectionLimits::min_strength = {}, must be > 0", min_strength);
}

std::vector<Keypoint> detect(const Detector& detector, const ScalePyramid& pyramid, const DetectionLimits& limits) {
  limits.validate();
  const float least = least_response(detector, limits.min_strength);
  std::vector<Keypoint> keypoints;
  for (int octave = 0; octave < pyramid.octave_count(); ++octave) {
    // A maximum is refined by at most half a step beyond the scales searched here.
    if (detector.sigma(pyramid, octave, kSteps + 1) < limits.min_sigma) continue;
    if (detector.sigma(pyramid, octave, 0) > limits.max_sigma) break;
    Responses responses;
    parallel_for(kSteps + 2, [&](int64_t step) {
      responses[static_cast<size_t>(step)] = detector.response(pyramid, octave, static_cast<int>(step));
    });
    const Search search{detector, pyramid, responses, limits, least, octave};
    const int rows = responses[0].height - 2, bands = (rows + kRows - 1) / kRows;
    std::vector<std::vector<Keypoint>> found(static_cast<size_t>(std::max(0, bands) * kSteps));
    parallel_for(std::ssize(found), [&](int64_t i) {
      const int begin = 1 + static_cast<int>(i) % bands * kRows;
      found[static_cast<size_t>(i)] =
          search.band(1 + static_cast<int>(i) / bands, begin, std::min(begin + kRows, rows + 1));
    });
    for (const auto& band : found) keypoints.insert(keypoints.end(), band.begin(), band.end());
  }
  return keypoints;
}

}  // namespace adasample
