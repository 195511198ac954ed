// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/image.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"

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

constexpr int kBandRows = 64;  // blurred by a thread at a time: what lies between the two passes stays in its cache

// out[x] = kernel[0] centre[x] + sum over i of kernel[i] (before(i)[x] + after(i)[x]), in this order for every x: so
// many at a time that the sums stay in registers.
template <typename Rows>
void weighted_sums(const std::vector<float>& kernel, int width, const Rows& rows, float* out) {
  constexpr int kTogether = 16;
  const int radius = static_cast<int>(kernel.size()) - 1;
  const float* centre = rows(0).first;
  int x = 0;
  for (; x + kTogether <= width; x += kTogether) {
    float sums[kTogether];
    for (int k = 0; k < kTogether; ++k) sums[k] = kernel[0] * centre[x + k];
    for (int i = 1; i <= radius; ++i) {
      const float weight = kernel[static_cast<size_t>(i)];
      const auto [before, after] = rows(i);
      for (int k = 0; k < kTogether; ++k) sums[k] += weight * (before[x + k] + after[x + k]);
    }
    std::copy_n(sums, kTogether, out + x);
  }
  for (; x < width; ++x) {
    float sum = kernel[0] * centre[x];
    for (int i = 1; i <= radius; ++i) {
      const auto [before, after] = rows(i);
      sum += kernel[static_cast<size_t>(i)] * (before[x] + after[x]);
    }
    out[x] = sum;
  }
}

// Rows [begin, end) of the result: first along the rows, those above and below included, then down the columns.
void blur_rows(const GrayImage& image, const std::vector<float>& kernel, int begin, int end, GrayImage& result) {
  const int radius = static_cast<int>(kernel.size()) - 1, w = image.width, h = image.height;
  GrayImage across(w, end - begin + 2 * radius);
  std::vector<float> padded(static_cast<size_t>(w + 2 * radius));
  for (int y = 0; y < across.height; ++y) {
    const float* row = image.row(reflect(begin - radius + y, h));
    float* in = padded.data() + radius;
    std::copy_n(row, w, in);
    for (int x = 1; x <= radius; ++x) {
      in[-x] = row[reflect(-x, w)];
      in[w - 1 + x] = row[reflect(w - 1 + x, w)];
    }
    weighted_sums(
        kernel, w, [&](int i) { return std::pair<const float*, const float*>(in - i, in + i); }, across.row(y));
  }
  for (int y = begin; y < end; ++y) {
    const int at = y - begin + radius;
    weighted_sums(
        kernel, w, [&](int i) { return std::pair<const float*, const float*>(across.row(at - i), across.row(at + i)); },
        result.row(y));
  }
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
  GrayImage result(image.width, image.height);
  parallel_for((image.height + kBandRows - 1) / kBandRows, [&](int64_t band) {
    const int begin = static_cast<int>(band) * kBandRows;
    blur_rows(image, kernel, begin, std::min(begin + kBandRows, image.height), result);
  });
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
