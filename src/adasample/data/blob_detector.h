// SPDX-License-Identifier: Apache-2.0
// Blobs in scale space, so that patches can be cut where no OpenCV is: maxima over position and scale of
//   strength = sigma^2 sqrt(Lxx Lyy - Lxy^2)   where the determinant of the Hessian is positive,
// in grey levels: a quarter of the height of a Gaussian blob of that sigma.
#pragma once

#include <vector>

#include "adasample/data/scale_pyramid.h"

namespace adasample {

struct Blob {
  double x = 0, y = 0;  // image pixels
  double sigma = 0;     // image pixels
  double strength = 0;  // grey levels
};

struct BlobOptions {
  int max_count = 1000;       // the strongest are kept
  double min_sigma = 1.8;     // image pixels
  double max_sigma = 1e9;     // image pixels
  double min_strength = 2.0;  // grey levels
  // Two kept blobs never show the same spot: their scales differ by a factor of more than two, or their centres by at
  // least this many sigmas of the larger one. Of two that clash the stronger is kept.
  double min_distance = 5.0;

  void validate() const;
};

// Strongest first.
std::vector<Blob> detect_blobs(const ScalePyramid& pyramid, const BlobOptions& options);

}  // namespace adasample
