// SPDX-License-Identifier: Apache-2.0
// Keypoint detectors: each answers every level of a pyramid with a picture; the search for maxima is the same for all.
//   hessian  blobs   sigma^2 sqrt(Lxx Lyy - Lxy^2), where the determinant is positive
//   dog      blobs   sigma^2 |Laplacian| as a difference of Gaussians; elongated ones (edges) are left out
//   harris   corners (det M - 0.04 trace(M)^2)^(1/4), M = s^2 (second moments of gradients at s = 0.7 sigma, over
//   sigma)
// Blobs are maxima over position and scale; corners, which look alike at all scales, over position at each scale.
// Strengths are grey levels: hessian and dog give a quarter of the height of a Gaussian blob of that sigma.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "adasample/features/keypoint.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

class Detector {
 public:
  virtual ~Detector() = default;

  // A picture on the grid of level (octave, step), 0 within a pixel of the border; maxima are sought where it is > 0.
  virtual GrayImage response(const ScalePyramid& pyramid, int octave, int step) const = 0;
  // The sigma, in image pixels, of what that picture responds to.
  virtual double sigma(const ScalePyramid& pyramid, int octave, int step) const = 0;
  // Of a response > 0, in grey levels; increasing.
  virtual double strength(double response) const = 0;
  // Whether a maximum must exceed the levels above and below too.
  virtual bool chooses_scale() const { return true; }
  // A last word on a maximum of the response at (x, y), not on the border.
  virtual bool accepts(const GrayImage& /*response*/, int /*x*/, int /*y*/) const { return true; }
};

std::span<const std::string_view> detector_names();
std::unique_ptr<Detector> make_detector(std::string_view name);  // throws a usage Error that lists the names

struct DetectionLimits {
  double min_sigma = 1.8;  // image pixels
  double max_sigma = std::numeric_limits<double>::infinity();
  double min_strength = 2.0;  // grey levels

  void validate() const;
};

// Octave by octave, step by step, row by row. Angles are 0.
std::vector<Keypoint> detect(const Detector& detector, const ScalePyramid& pyramid, const DetectionLimits& limits = {});

// The detectors behind make_detector, one file each.
std::unique_ptr<Detector> make_dog_detector();
std::unique_ptr<Detector> make_hessian_detector();
std::unique_ptr<Detector> make_harris_detector();

// For detectors and for orientation.h: where the parabola through three values at -1, 0 and 1 has its maximum, in
// [-1/2, 1/2]; 0 where it has none.
inline double parabola_peak(double before, double value, double after) {
  const double curvature = before - 2 * value + after;
  return curvature < 0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
}

}  // namespace adasample
