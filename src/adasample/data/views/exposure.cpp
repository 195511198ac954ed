// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/exposure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "adasample/image/scenes/noise.h"

namespace adasample {
namespace {

// At strength 1; each is the end of a range that is uniform and symmetric about "no change", or begins there.
constexpr double kGammaOctaves = 0.5;
constexpr double kGainOctaves = 0.35;
constexpr double kBias = 20;
constexpr double kShade = 0.25;
constexpr double kNoise = 5;
constexpr double kJpegLoss = 60;  // below quality 100
constexpr int kWorstJpeg = 20;
constexpr double kShadowStops = 2;

constexpr double kDarkestShadow = 1.0 / 32;  // the sky lights it

// Grey level to grey level through gamma, gain and bias: a table, since std::pow for every pixel would cost more than
// the rest of the view.
std::array<float, 257> tone_curve(const Exposure& exposure) {
  std::array<float, 257> curve;
  for (size_t i = 0; i < curve.size(); ++i) {
    const double bent = 255 * std::pow(std::min(1.0, static_cast<double>(i) / 255), exposure.gamma);
    curve[i] = static_cast<float>(127.5 + exposure.gain * (bent - 127.5) + exposure.bias);
  }
  return curve;
}

// What is left of a grey level in the shadows: the square root of what is left of the light.
float in_shadow(const std::vector<Shadow>& shadows, int x, int y) {
  double light = 1;
  for (const Shadow& shadow : shadows) {
    const Point2 p = {static_cast<double>(x), static_cast<double>(y)};
    light *= 1 - (1 - shadow.light) * coverage(shadow.where.depth(p), shadow.penumbra);
  }
  return static_cast<float>(std::sqrt(light));
}

}  // namespace

void draw_tone(RngStream& rng, double strength, const Difficulty& difficulty, Exposure& exposure) {
  const double light = difficulty.strength(Hardness::kLight, strength);
  const double contrast = difficulty.strength(Hardness::kContrast, strength);
  const auto symmetric = [&](double factor, double end) { return factor * rng.uniform(-end, end); };
  exposure.shade_x = symmetric(light, kShade);
  exposure.shade_y = symmetric(light, kShade);
  exposure.gamma = std::exp2(symmetric(light, kGammaOctaves));
  exposure.gain = std::exp2(symmetric(contrast, kGainOctaves));
  exposure.bias = symmetric(contrast, kBias);
  exposure.noise = difficulty.strength(Hardness::kNoise, strength) * rng.uniform(0, kNoise);
  exposure.noise_key = RngKey(rng.bits(), Draw::kView);
}

void draw_jpeg(RngStream& rng, double strength, Exposure& exposure) {
  exposure.jpeg_quality = std::max(kWorstJpeg, static_cast<int>(100 - strength * rng.uniform(0, kJpegLoss)));
  exposure.jpeg_shift_x = static_cast<int>(rng.index(8));
  exposure.jpeg_shift_y = static_cast<int>(rng.index(8));
}

std::vector<Shadow> draw_shadow(RngStream rng, double strength, Point2 centre, double width) {
  if (strength <= 0 || rng.uniform() < 0.5) return {};
  const double distance = rng.uniform(-0.4, 0.4) * width;
  const Disc where = draw_edge(rng, centre, distance, width);
  const double stops = strength * rng.uniform(0, kShadowStops);
  return {{.where = where,
           .light = std::max(kDarkestShadow, std::exp2(-stops)),
           .penumbra = width * std::exp2(rng.uniform(-5, -1.5))}};
}

void develop(const Exposure& exposure, std::span<const float> light, int width, int height, uint8_t* out) {
  const std::array<float, 257> curve = tone_curve(exposure);
  const float middle_x = 0.5f * static_cast<float>(width - 1), middle_y = 0.5f * static_cast<float>(height - 1);
  const float shade_x = static_cast<float>(exposure.shade_x) / (0.5f * static_cast<float>(width));
  const float shade_y = static_cast<float>(exposure.shade_y) / (0.5f * static_cast<float>(height));
  const auto noise = static_cast<float>(exposure.noise);
  for (int y = 0; y < height; ++y) {
    const float row_light = 1 + shade_y * (static_cast<float>(y) - middle_y);
    for (int x = 0; x < width; ++x) {
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
      float lit = light[i] * (row_light + shade_x * (static_cast<float>(x) - middle_x));
      if (!exposure.shadows.empty()) lit *= in_shadow(exposure.shadows, x, y);
      lit = std::clamp(lit, 0.0f, 255.0f);
      const auto below = static_cast<size_t>(lit);
      const float toned = curve[below] + (lit - static_cast<float>(below)) * (curve[below + 1] - curve[below]);
      out[i] = to_byte(toned + noise * quick_normal(exposure.noise_key.at(i).bits()));
    }
  }
}

Point2 draw_motion(RngStream rng, double strength, double longest) {
  if (strength <= 0 || rng.uniform() < 0.5) return {};
  const double direction = rng.uniform(0, kFullTurn), length = strength * rng.uniform(0, longest);
  return {length * std::cos(direction), length * std::sin(direction)};
}

GrayImage motion_blur(const GrayImage& image, Point2 motion) {
  // Samples along the line, four a pixel, each shared out among the four pixels around it: the kernel.
  const int samples = 1 + 4 * static_cast<int>(std::ceil(std::hypot(motion.x, motion.y)));
  std::map<std::pair<int, int>, float> kernel;  // (y, x) -> weight
  for (int i = 0; i < samples; ++i) {
    const double along = samples > 1 ? static_cast<double>(i) / (samples - 1) - 0.5 : 0;
    const double x = along * motion.x, y = along * motion.y;
    const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
    const double fx = x - ix, fy = y - iy;
    for (const auto& [dx, dy, weight] :
         {std::tuple(0, 0, (1 - fx) * (1 - fy)), {1, 0, fx * (1 - fy)}, {0, 1, (1 - fx) * fy}, {1, 1, fx * fy}}) {
      if (weight > 0) kernel[{iy + dy, ix + dx}] += static_cast<float>(weight / samples);
    }
  }
  GrayImage linear = image, result(image.width, image.height);
  for (float& pixel : linear.pixels) pixel *= pixel;
  std::vector<int> column(static_cast<size_t>(image.width));
  for (const auto& [offset, weight] : kernel) {
    for (int x = 0; x < image.width; ++x) column[static_cast<size_t>(x)] = reflect(x + offset.second, image.width);
    for (int y = 0; y < image.height; ++y) {
      const float* from = linear.row(reflect(y + offset.first, image.height));
      float* to = result.row(y);
      for (int x = 0; x < image.width; ++x) to[x] += weight * from[column[static_cast<size_t>(x)]];
    }
  }
  for (float& pixel : result.pixels) pixel = std::sqrt(pixel);
  return result;
}

}  // namespace adasample
