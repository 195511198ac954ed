// SPDX-License-Identifier: Apache-2.0
// Pictures with something to find: Gaussian blobs whose places are known, so that a picture can be drawn again as seen
// through a map.
#pragma once

#include <cmath>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/image/homography.h"
#include "adasample/image/image.h"

namespace adasample::testing {

struct GaussianBlob {
  double x, y, sigma, height;
};

inline double blob_value(const GaussianBlob& blob, Point2 p) {
  const double square = ((p.x - blob.x) * (p.x - blob.x) + (p.y - blob.y) * (p.y - blob.y)) / (blob.sigma * blob.sigma);
  return square < 25 ? blob.height * std::exp(-0.5 * square) : 0;
}

// Adds what a camera sees of the blobs.
inline void add_blobs(GrayImage& image, const std::vector<GaussianBlob>& blobs,
                      const Homography& scene_from_image = {}) {
  for (int v = 0; v < image.height; ++v) {
    for (int u = 0; u < image.width; ++u) {
      const Point2 p = scene_from_image({static_cast<double>(u), static_cast<double>(v)});
      for (const GaussianBlob& blob : blobs) image.at(u, v) += static_cast<float>(blob_value(blob, p));
    }
  }
}
inline void add_blob(GrayImage& image, const GaussianBlob& blob, const Homography& scene_from_image = {}) {
  add_blobs(image, {blob}, scene_from_image);
}

// 300 random blobs on a scene of 240 x 160 pixels.
inline std::vector<GaussianBlob> many_blobs() {
  std::vector<GaussianBlob> blobs;
  RngStream rng(RngKey(9, Draw::kScene));
  for (int i = 0; i < 300; ++i) {
    const double x = rng.uniform(0, 240), y = rng.uniform(0, 160), sigma = rng.uniform(2, 9);
    blobs.push_back({x, y, sigma, rng.uniform(-60, 60)});
  }
  return blobs;
}

// The scene, or what a camera sees of it in `width` x `height` pixels.
inline GrayImage blob_scene(const Homography& scene_from_image = {}, int width = 240, int height = 160) {
  GrayImage image(width, height, 128.0f);
  add_blobs(image, many_blobs(), scene_from_image);
  return image;
}

}  // namespace adasample::testing
