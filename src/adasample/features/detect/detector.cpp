// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/detector.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr int kSteps = ScalePyramid::kSteps;
constexpr std::string_view kNames[] = {"dog", "hessian", "harris"};
constexpr std::unique_ptr<Detector> (*kMakers[])() = {make_dog_detector, make_hessian_detector, make_harris_detector};
using Responses = std::array<GrayImage, kSteps + 2>;

// Larger than all eight neighbours in position, and than the nine on each of `reach` levels above and below.
bool is_maximum(const Responses& responses, int step, int x, int y, int reach) {
  const float value = responses[static_cast<size_t>(step)].at(x, y);
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
  const int reach = detector.chooses_scale() ? 1 : 0;
  std::vector<Keypoint> keypoints;
  for (int octave = 0; octave < pyramid.octave_count(); ++octave) {
    // A maximum is refined by at most half a step beyond the scales searched here.
    if (detector.sigma(pyramid, octave, kSteps + 1) < limits.min_sigma) continue;
    if (detector.sigma(pyramid, octave, 0) > limits.max_sigma) break;
    Responses responses;
    for (int step = 0; step < kSteps + 2; ++step) {
      responses[static_cast<size_t>(step)] = detector.response(pyramid, octave, step);
    }
    for (int step = 1; step <= kSteps; ++step) {
      const GrayImage& here = responses[static_cast<size_t>(step)];
      for (int y = 1; y + 1 < here.height; ++y) {
        for (int x = 1; x + 1 < here.width; ++x) {
          if (here.at(x, y) <= 0 || !is_maximum(responses, step, x, y, reach) || !detector.accepts(here, x, y))
            continue;
          const Keypoint k = refine(detector, pyramid, responses, octave, step, x, y);
          if (k.sigma >= limits.min_sigma && k.sigma <= limits.max_sigma && k.strength >= limits.min_strength) {
            keypoints.push_back(k);
          }
        }
      }
    }
  }
  return keypoints;
}

}  // namespace adasample
