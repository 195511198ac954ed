// SPDX-License-Identifier: Apache-2.0
// Procedural scenes with the statistics of photographs (Lee, Mumford, Huang 2001): opaque leaves, ellipses and
// polygons, fall on each other with radii of density ~ r^-3, which makes the picture look alike at every scale and its
// power fall like 1 / f^2 (steeper below the scale of the smallest leaf). Leaves carry
// textures of noise (spectrum 1 / f^0.3 .. 1.6), gratings and a shading; the camera adds blur and noise.
#pragma once

#include "adasample/base/random/rng.h"
#include "adasample/image/image.h"

namespace adasample {

struct DeadLeavesOptions {
  int width = 481;  // pixels
  int height = 321;
  int leaves = 2200;      // enough to cover these extents several times over
  double min_radius = 5;  // pixels
  double max_radius = 180;

  void validate() const;
};

// A pure function of key and options; by convention the key is RngKey(seed, Draw::kScene).at(part).at(scene).
GrayImage dead_leaves_scene(RngKey key, const DeadLeavesOptions& options = {});

}  // namespace adasample
