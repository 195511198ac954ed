// SPDX-License-Identifier: Apache-2.0
// A grey image in floats, 0 (black) to 255 (white), and the few filters needed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adasample {

struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<float> pixels;  // (height, width), row-major

  GrayImage() = default;
  GrayImage(int w, int h, float value = 0)
      : width(w), height(h), pixels(static_cast<size_t>(w) * static_cast<size_t>(h), value) {}

  float* row(int y) { return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width); }
  const float* row(int y) const { return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width); }
  float& at(int x, int y) { return row(y)[x]; }
  float at(int x, int y) const { return row(y)[x]; }
};

// A grey image as files hold it, for patches that go from file to file without arithmetic.
struct ByteImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;  // (height, width), row-major
};

// Index of a sample at or beyond the border, mirrored about the first and last sample (-1 -> 1, n -> n - 2).
int reflect(int index, int n);

// Gaussian blur of standard deviation `sigma` pixels, borders reflected; sigma <= 0 copies.
GrayImage gaussian_blur(const GrayImage& image, double sigma);

// Every second pixel of every second row: pixel (x, y) becomes that of (2x, 2y). Blur first.
GrayImage subsample(const GrayImage& image);

// Means of 2 x 2 blocks, for images drawn at twice their size; both extents must be even.
GrayImage average_2x2(const GrayImage& image);

// Rounded to the nearest integer and clipped to 0..255.
inline uint8_t to_byte(float value) {
  const float clipped = value > 0.0f ? (value < 255.0f ? value : 255.0f) : 0.0f;  // 0 also for what is no number
  return static_cast<uint8_t>(static_cast<int>(clipped + 0.5f));
}
std::vector<uint8_t> to_bytes(const GrayImage& image);

// Of the pixels of a patch, in grey levels: its contrast.
double standard_deviation(std::span<const uint8_t> patch);

// A picture no larger than `max_side` and the factor by which it was reduced: 1, 2, 4, ..
struct ReducedImage {
  GrayImage image;
  double reduction = 1;
};
ReducedImage reduce_to(GrayImage image, int max_side);

}  // namespace adasample
