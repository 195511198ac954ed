// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/files/jpeg.h"
#include "adasample/image/scenes/noise.h"

namespace adasample {
namespace {

constexpr std::string_view kNames[] = {"graded", "narrow", "middle", "wide"};  // in the order of the enum

// At strength 1; each is the end of a range that is uniform and symmetric about "no change", or begins there.
constexpr double kRotation = 25 * std::numbers::pi / 180;
constexpr double kScaleOctaves = 0.35;
constexpr double kShift = 0.15;  // of the patch's width
constexpr double kStretchOctaves = 0.2;
constexpr double kGammaOctaves = 0.5;
constexpr double kGainOctaves = 0.35;
constexpr double kBias = 20;
constexpr double kShade = 0.25;
constexpr double kBlur = 0.8;
constexpr double kNoise = 5;
constexpr double kJpegLoss = 60;  // below quality 100
constexpr int kWorstJpeg = 20;

// Grey level to grey level through gamma, gain and bias: a table, since std::pow for every pixel would cost more than
// the rest of the view.
std::array<float, 257> tone_curve(const View& view) {
  std::array<float, 257> curve;
  for (size_t i = 0; i < curve.size(); ++i) {
    const double bent = 255 * std::pow(std::min(1.0, static_cast<double>(i) / 255), view.gamma);
    curve[i] = static_cast<float>(127.5 + view.gain * (bent - 127.5) + view.bias);
  }
  return curve;
}

}  // namespace

std::string_view to_string(Jitter jitter) { return kNames[static_cast<size_t>(jitter)]; }

Jitter parse_jitter(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  ADA_USAGE(found != std::end(kNames), "jitter = \"{}\", must be one of {}", name, fmt::join(kNames, ", "));
  return static_cast<Jitter>(found - std::begin(kNames));
}

std::span<const std::string_view> jitter_names() { return kNames; }

double view_strength(Jitter jitter, int view, int views) {
  switch (jitter) {
    case Jitter::kGraded:
      return 0.15 + (1.2 - 0.15) * view / std::max(1, views - 1);
    case Jitter::kNarrow:
      return 0.4;
    case Jitter::kMiddle:
      return 0.7;
    case Jitter::kWide:
      return 1.0;
  }
  ADA_THROW_KIND(kBug, "[bug] no such Jitter");
}

Affine2 draw_warp(RngStream& rng, double strength, int size) {
  const auto symmetric = [&](double end) { return strength * rng.uniform(-end, end); };
  const double rotation = symmetric(kRotation), zoom = std::exp2(symmetric(kScaleOctaves));
  const double shift_x = symmetric(kShift) * size, shift_y = symmetric(kShift) * size;
  const double stretch = std::exp2(0.5 * symmetric(kStretchOctaves));  // along one axis, its inverse along the other
  const double direction = rng.uniform(0, std::numbers::pi);
  const double centre = 0.5 * (size - 1);
  return Affine2::translation(centre + shift_x, centre + shift_y) * Affine2::rotation(rotation) *
         Affine2::rotation(direction) * Affine2::scaling(zoom * stretch, zoom / stretch) *
         Affine2::rotation(-direction) * Affine2::translation(-centre, -centre);
}

View draw_view(RngKey key, double strength, int size, bool jpeg) {
  RngStream rng(key);
  const auto symmetric = [&](double end) { return strength * rng.uniform(-end, end); };
  View view;
  view.patch_from_view = draw_warp(rng, strength, size);
  view.blur = strength * rng.uniform(0, kBlur);
  view.shade_x = symmetric(kShade);
  view.shade_y = symmetric(kShade);
  view.gamma = std::exp2(symmetric(kGammaOctaves));
  view.gain = std::exp2(symmetric(kGainOctaves));
  view.bias = symmetric(kBias);
  view.noise = strength * rng.uniform(0, kNoise);
  view.noise_key = RngKey(rng.bits(), Draw::kView);
  if (jpeg && strength > 0) {
    view.jpeg_quality = std::max(kWorstJpeg, static_cast<int>(100 - strength * rng.uniform(0, kJpegLoss)));
    view.jpeg_shift_x = static_cast<int>(rng.index(8));
    view.jpeg_shift_y = static_cast<int>(rng.index(8));
  }
  return view;
}

void render_view(const ScalePyramid& pyramid, const Affine2& image_from_patch, const View& view, int size,
                 uint8_t* out) {
  std::vector<float> patch(static_cast<size_t>(size * size));
  cut(pyramid, image_from_patch * view.patch_from_view, size, patch.data(), view.blur);
  const std::array<float, 257> curve = tone_curve(view);
  const float centre = 0.5f * static_cast<float>(size - 1), half = 0.5f * static_cast<float>(size);
  const float shade_x = static_cast<float>(view.shade_x) / half, shade_y = static_cast<float>(view.shade_y) / half;
  const auto noise = static_cast<float>(view.noise);
  for (int y = 0; y < size; ++y) {
    const float row_light = 1 + shade_y * (static_cast<float>(y) - centre);
    for (int x = 0; x < size; ++x) {
      const auto i = static_cast<size_t>(y * size + x);
      const float lit = std::clamp(patch[i] * (row_light + shade_x * (static_cast<float>(x) - centre)), 0.0f, 255.0f);
      const auto below = static_cast<size_t>(lit);
      const float toned = curve[below] + (lit - static_cast<float>(below)) * (curve[below + 1] - curve[below]);
      out[i] = to_byte(toned + noise * quick_normal(view.noise_key.at(i).bits()));
    }
  }
  if (view.jpeg_quality > 0) {
    jpeg_round_trip({out, patch.size()}, size, view.jpeg_quality, view.jpeg_shift_x, view.jpeg_shift_y);
  }
}

}  // namespace adasample
