// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/dead_leaves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/image/scenes/leaf_canvas.h"
#include "adasample/image/scenes/noise.h"

namespace adasample {
namespace {

constexpr int kOversampling = 2;  // the canvas is drawn at twice the size and averaged: soft edges
constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kExponents[] = {0.3, 0.8, 1.6};  // of the noise tiles

// What all leaves of a scene choose from.
struct Palette {
  std::vector<NoiseTile> tiles;
  std::array<float, 256> sine, stripes;  // one period, in -1 .. 1

  explicit Palette(RngKey key) {
    for (size_t i = 0; i < std::size(kExponents); ++i) {
      for (NoiseTile& tile : NoiseTile::make_pair(key.at(i), kExponents[i])) tiles.push_back(std::move(tile));
    }
    for (size_t i = 0; i < sine.size(); ++i) {
      sine[i] = static_cast<float>(std::sin(kTwoPi * static_cast<double>(i) / 256));
      stripes[i] = std::clamp(6.0f * sine[i], -1.0f, 1.0f);
    }
  }
};

// The grey level of a leaf at a canvas pixel: base + shading + noise + grating.
class Texture {
 public:
  Texture(RngStream& rng, const Palette& palette, Point2 centre, double radius) {
    base_ = static_cast<float>(rng.uniform(20, 107) + rng.uniform(20, 107));  // middle greys are the most frequent
    const double shade = rng.uniform(0, 45) / radius, shade_angle = rng.uniform(0, kTwoPi);
    shade_x_ = static_cast<float>(shade * std::cos(shade_angle));
    shade_y_ = static_cast<float>(shade * std::sin(shade_angle));
    centre_x_ = static_cast<float>(centre.x);
    centre_y_ = static_cast<float>(centre.y);

    tile_ = &palette.tiles[static_cast<size_t>(rng.index(static_cast<int64_t>(palette.tiles.size())))];
    tile_gain_ = static_cast<float>(std::exp2(rng.uniform(2.3, 5.5)));  // 5 to 45 grey levels
    const double zoom = std::exp2(rng.uniform(-0.8, 0.4)), turn = rng.uniform(0, kTwoPi);
    tile_cos_ = static_cast<float>(zoom * std::cos(turn));
    tile_sin_ = static_cast<float>(zoom * std::sin(turn));
    tile_x_ = static_cast<float>(rng.uniform(0, NoiseTile::kSize));
    tile_y_ = static_cast<float>(rng.uniform(0, NoiseTile::kSize));

    const double kind = rng.uniform();  // 78 % none, 14 % stripes, 8 % checks; half of them soft
    if (kind < 0.78) return;
    checks_ = kind > 0.92;
    wave_ = rng.uniform() < 0.5 ? &palette.sine : &palette.stripes;
    wave_gain_ = static_cast<float>(rng.uniform(6, 45));
    const double period = kOversampling * 3 * std::exp2(rng.uniform(0, 3));  // 3 to 24 pixels
    const double angle = rng.uniform(0, kTwoPi), phase = rng.uniform(0, 256);
    wave_cos_ = static_cast<float>(256 / period * std::cos(angle));
    wave_sin_ = static_cast<float>(256 / period * std::sin(angle));
    wave_phase_ = static_cast<float>(phase);
  }

  float operator()(int ix, int iy) const {
    const float x = static_cast<float>(ix) - centre_x_, y = static_cast<float>(iy) - centre_y_;
    float value = base_ + shade_x_ * x + shade_y_ * y;
    value += tile_gain_ * tile_->at(tile_x_ + tile_cos_ * x - tile_sin_ * y, tile_y_ + tile_sin_ * x + tile_cos_ * y);
    if (wave_ != nullptr) {
      float wave = wave_at(wave_cos_ * x + wave_sin_ * y);
      if (checks_) wave *= wave_at(wave_cos_ * y - wave_sin_ * x);
      value += wave_gain_ * wave;
    }
    return value;
  }

 private:
  float wave_at(float position) const {
    return (*wave_)[static_cast<size_t>(static_cast<int>(std::floor(position + wave_phase_)) & 255)];
  }

  float base_, shade_x_, shade_y_, centre_x_, centre_y_;
  const NoiseTile* tile_;
  float tile_gain_, tile_cos_, tile_sin_, tile_x_, tile_y_;
  const std::array<float, 256>* wave_ = nullptr;
  bool checks_ = false;
  float wave_gain_ = 0, wave_cos_ = 0, wave_sin_ = 0, wave_phase_ = 0;
};

// A star-shaped outline of three to eight corners about the origin, roughly of radius 1.
std::vector<Point2> random_outline(RngStream& rng) {
  const int64_t corners = 3 + rng.index(6);
  const double start = rng.uniform(0, kTwoPi);
  std::vector<Point2> outline;
  for (int64_t i = 0; i < corners; ++i) {
    const double angle =
        start + kTwoPi * (static_cast<double>(i) + rng.uniform(-0.3, 0.3)) / static_cast<double>(corners);
    const double radius = rng.uniform(0.6, 1.3);
    outline.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return outline;
}

void paint_leaf(LeafCanvas& canvas, RngStream rng, const Palette& palette, const DeadLeavesOptions& options) {
  // Density ~ r^-3: 1 / r^2 is uniform.
  const double inverse_square =
      rng.uniform(1 / (options.max_radius * options.max_radius), 1 / (options.min_radius * options.min_radius));
  const double radius = kOversampling / std::sqrt(inverse_square);
  const Point2 centre = {rng.uniform(-radius, canvas.width() + radius), rng.uniform(-radius, canvas.height() + radius)};
  const double stretch = std::exp2(rng.uniform(-0.5, 0.5));
  const Affine2 canvas_from_unit = Affine2::translation(centre.x, centre.y) *
                                   Affine2::rotation(rng.uniform(0, kTwoPi)) *
                                   Affine2::scaling(radius * stretch, radius / stretch);
  const Texture texture(rng, palette, centre, radius);
  if (rng.uniform() < 0.5) {
    canvas.paint_ellipse(canvas_from_unit, texture);
  } else {
    std::vector<Point2> outline = random_outline(rng);
    for (Point2& p : outline) p = canvas_from_unit(p);
    canvas.paint_polygon(outline, texture);
  }
}

// Optics, exposure and sensor: a slight blur, contrast and brightness, white noise, the range of a byte.
GrayImage photograph(const GrayImage& scene, RngStream rng) {
  GrayImage image = gaussian_blur(scene, rng.uniform(0.25, 0.6));
  const auto contrast = static_cast<float>(std::exp2(rng.uniform(-0.2, 0.6)));
  const auto brightness = static_cast<float>(rng.uniform(100, 150));
  const auto noise = static_cast<float>(rng.uniform(0.5, 2.5));
  for (float& pixel : image.pixels) {
    pixel = brightness + contrast * (pixel - 127.5f) + noise * quick_normal(rng.bits());
    pixel = std::clamp(pixel, 0.0f, 255.0f);
  }
  return image;
}

}  // namespace

void DeadLeavesOptions::validate() const {
  ADA_USAGE(width >= 16 && width <= 8192, "DeadLeavesOptions::width = {}, must be 16 to 8192", width);
  ADA_USAGE(height >= 16 && height <= 8192, "DeadLeavesOptions::height = {}, must be 16 to 8192", height);
  ADA_USAGE(leaves >= 0, "DeadLeavesOptions::leaves = {}, must be >= 0", leaves);
  ADA_USAGE(min_radius > 0 && min_radius <= max_radius && max_radius <= 1e5,
            "DeadLeavesOptions::min_radius = {}, must be in (0, max_radius = {}], that at most 1e5", min_radius,
            max_radius);
}

GrayImage dead_leaves_scene(RngKey key, const DeadLeavesOptions& options) {
  options.validate();
  const Palette palette(key.at(0));
  LeafCanvas canvas(kOversampling * options.width, kOversampling * options.height);
  for (int leaf = 0; leaf < options.leaves && canvas.free_count() > 0; ++leaf) {
    paint_leaf(canvas, RngStream(key.at(1).at(static_cast<uint64_t>(leaf))), palette, options);
  }
  RngStream ground(key.at(2));
  const Texture texture(ground, palette, {0.5 * canvas.width(), 0.5 * canvas.height()}, canvas.width());
  for (int y = 0; y < canvas.height(); ++y) canvas.paint_span(y, 0, canvas.width() - 1, texture);
  return photograph(average_2x2(canvas.image()), RngStream(key.at(3)));
}

}  // namespace adasample
