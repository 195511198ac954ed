// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/image.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr double kHalvingBlur = 0.8;  // pixels, before every second one is dropped

// One half of the kernel: weight of the centre, of +-1, +-2, .. +-radius; normalised.
std::vector<float> half_kernel(double sigma) {
  const int radius = std::max(1, static_cast<int>(std::ceil(3.0 * sigma)));
  std::vector<double> weights;
  double sum = 0;
  for (int i = 0; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
    sum += i == 0 ? weights.back() : 2 * weights.back();
  }
  std::vector<float> kernel;
  for (const double weight : weights) kernel.push_back(static_cast<float>(weight / sum));
  return kernel;
}

}  // namespace

int reflect(int index, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  index %= period;
  if (index < 0) index += period;
  return index < n ? index : period - index;
}

GrayImage gaussian_blur(const GrayImage& image, double sigma) {
  if (sigma <= 0 || image.pixels.empty()) return image;
  const std::vector<float> kernel = half_kernel(sigma);
  const int radius = static_cast<int>(kernel.size()) - 1, w = image.width, h = image.height;

  // The inner loops run along the row, so that the compiler turns them into vector code.
  GrayImage across(w, h);
  std::vector<float> padded(static_cast<size_t>(w + 2 * radius));
  for (int y = 0; y < h; ++y) {
    for (int x = -radius; x < w + radius; ++x) padded[static_cast<size_t>(x + radius)] = image.at(reflect(x, w), y);
    const float* in = padded.data() + radius;
    float* out = across.row(y);
    for (int x = 0; x < w; ++x) out[x] = kernel[0] * in[x];
    for (int i = 1; i <= radius; ++i) {
      const float weight = kernel[static_cast<size_t>(i)];
      for (int x = 0; x < w; ++x) out[x] += weight * (in[x - i] + in[x + i]);
    }
  }

  GrayImage result(w, h);
  for (int y = 0; y < h; ++y) {
    const float* centre = across.row(y);
    float* out = result.row(y);
    for (int x = 0; x < w; ++x) out[x] = kernel[0] * centre[x];
    for (int i = 1; i <= radius; ++i) {
      const float weight = kernel[static_cast<size_t>(i)];
      const float* above = across.row(reflect(y - i, h));
      const float* below = across.row(reflect(y + i, h));
      for (int x = 0; x < w; ++x) out[x] += weight * (above[x] + below[x]);
    }
  }
  return result;
}

GrayImage subsample(const GrayImage& image) {
  GrayImage half((image.width + 1) / 2, (image.height + 1) / 2);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) half.at(x, y) = image.at(2 * x, 2 * y);
  }
  return half;
}

GrayImage average_2x2(const GrayImage& image) {
  ADA_ASSERT(image.width % 2 == 0 && image.height % 2 == 0);
  GrayImage half(image.width / 2, image.height / 2);
  for (int y = 0; y < half.height; ++y) {
    const float *upper = image.row(2 * y), *lower = image.row(2 * y + 1);
    float* out = half.row(y);
    for (int x = 0; x < half.width; ++x) {
      out[x] = 0.25f * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
    }
  }
  return half;
}

uint8_t to_byte(float value) {
  if (!(value > 0.0f)) return 0;  // also what is no number
  return static_cast<uint8_t>(std::min(value, 255.0f) + 0.5f);
}

std::vector<uint8_t> to_bytes(const GrayImage& image) {
  std::vector<uint8_t> bytes(image.pixels.size());
  std::transform(image.pixels.begin(), image.pixels.end(), bytes.begin(), to_byte);
  return bytes;
}

double standard_deviation(std::span<const uint8_t> patch) {
  double sum = 0, square = 0;
  for (const uint8_t pixel : patch) {
    sum += pixel;
    square += static_cast<double>(pixel) * pixel;
  }
  const double n = static_cast<double>(patch.size()), mean = sum / n;
  return std::sqrt(std::max(0.0, square / n - mean * mean));
}

ReducedImage reduce_to(GrayImage image, int max_side) {
  ReducedImage result{std::move(image)};
  while (std::max(result.image.width, result.image.height) > max_side) {
    result.image = subsample(gaussian_blur(result.image, kHalvingBlur));
    result.reduction *= 2;
  }
  return result;
}

}  // namespace adasample
