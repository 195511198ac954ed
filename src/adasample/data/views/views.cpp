// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/views.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/files/jpeg.h"

namespace adasample {
namespace {

constexpr std::string_view kNames[] = {"graded", "narrow", "middle", "wide"};  // in the order of the enum

// At strength 1; each is the end of a range that is uniform and symmetric about "no change", or begins there.
constexpr double kRotation = 25 * std::numbers::pi / 180;
constexpr double kScaleOctaves = 0.35;
constexpr double kShift = 0.15;  // of the patch's width
constexpr double kStretchOctaves = 0.2;
constexpr double kBlur = 0.8;
constexpr double kMotion = 5.0 / 32;  // of the width, as the two below
constexpr double kOcclusion = 0.45;   // how far the edge comes in from just outside the patch
constexpr double kParallax = 0.25;

// Streams of the kinds of difficulty that came later: beyond those of the views and of the older draws.
enum : uint64_t { kEdgeStream = 1 << 20, kShiftStream, kOcclusionStream, kMotionStream, kShadowStream };

// The edge is the class's, the shift is the view's.
std::optional<SecondSurface> draw_second_surface(RngKey class_key, RngKey key, double strength, int size) {
  if (strength <= 0) return std::nullopt;
  const double centre = 0.5 * (size - 1);
  RngStream edge(class_key.at(kEdgeStream)), shift(key.at(kShiftStream));
  SecondSurface second;
  const double distance = size * edge.uniform(0.1, 0.45);
  second.where = draw_edge(edge, {centre, centre}, distance, size);
  second.near = edge.uniform() < 0.5;
  const double towards = shift.uniform(0, kFullTurn), length = strength * shift.uniform(0, kParallax) * size;
  second.shift = {length * std::cos(towards), length * std::sin(towards)};
  return second;
}

std::optional<Occluder> draw_occluder(RngStream rng, double strength, int size) {
  if (strength <= 0 || rng.uniform() < 0.5) return std::nullopt;
  const double centre = 0.5 * (size - 1);
  const double distance = size * std::max(0.05, 0.6 - strength * rng.uniform(0, kOcclusion));
  Occluder occluder;
  occluder.where = draw_edge(rng, {centre, centre}, distance, size);
  occluder.right = rng.uniform();
  occluder.down = rng.uniform();
  occluder.angle = rng.uniform(0, kFullTurn);
  return occluder;
}

// Lays `upper` over `lower` where depth(x, y), in pixels of the two, is positive.
template <typename Depth>
void lay_over(const GrayImage& upper, const Depth& depth, GrayImage& lower) {
  for (int y = 0; y < lower.height; ++y) {
    for (int x = 0; x < lower.width; ++x) {
      const auto share = static_cast<float>(coverage(depth({static_cast<double>(x), static_cast<double>(y)}), 1));
      lower.at(x, y) += share * (upper.at(x, y) - lower.at(x, y));
    }
  }
}

// As large a frame as the patch's, where the occluder's texture comes from: wholly inside where the picture allows it.
Affine2 texture_frame(const Occluder& occluder, const Affine2& image_from_view, int size, const ScalePyramid& pyramid) {
  const double centre = 0.5 * (size - 1);
  const double reach = std::sqrt(0.5) * size * image_from_view.largest_singular_value();
  const auto place = [&](double share, int extent) {
    return std::max(0.5 * extent, reach) + (2 * share - 1) * std::max(0.0, 0.5 * extent - reach);
  };
  const Affine2 upright = {image_from_view.a, image_from_view.b, 0, image_from_view.c, image_from_view.d, 0};
  return Affine2::translation(place(occluder.right, pyramid.width()), place(occluder.down, pyramid.height())) *
         Affine2::rotation(occluder.angle) * upright * Affine2::translation(-centre, -centre);
}

// What falls on the sensor: surfaces, what stands before them, and motion. With a margin that motion brings in.
std::vector<float> expose(const ScalePyramid& pyramid, const Affine2& image_from_patch, const View& view, int size) {
  const int margin = static_cast<int>(std::ceil(0.5 * std::max(std::abs(view.motion.x), std::abs(view.motion.y))));
  const int side = size + 2 * margin;
  const Affine2 view_from_canvas = Affine2::translation(-margin, -margin);
  const Affine2 patch_from_canvas = view.patch_from_view * view_from_canvas;
  GrayImage canvas(side, side);
  cut(pyramid, image_from_patch * patch_from_canvas, side, canvas.pixels.data(), view.blur);
  if (view.second) {
    const Affine2 second_from_canvas =
        Affine2::translation(view.second->shift.x, view.second->shift.y) * patch_from_canvas;
    const Affine2& edge_from_canvas = view.second->near ? second_from_canvas : patch_from_canvas;
    GrayImage other(side, side);
    cut(pyramid, image_from_patch * second_from_canvas, side, other.pixels.data(), view.blur);
    lay_over(
        other, [&](Point2 p) { return view.second->where.depth(edge_from_canvas(p)); }, canvas);
  }
  if (view.occluder) {
    GrayImage front(side, side);
    const Affine2 texture = texture_frame(*view.occluder, image_from_patch * view.patch_from_view, size, pyramid);
    cut(pyramid, texture * view_from_canvas, side, front.pixels.data(), view.blur);
    lay_over(
        front, [&](Point2 p) { return view.occluder->where.depth(view_from_canvas(p)); }, canvas);
  }
  if (margin == 0) return canvas.pixels;
  const GrayImage moved = motion_blur(canvas, view.motion);
  std::vector<float> patch;
  for (int y = 0; y < size; ++y)
    patch.insert(patch.end(), moved.row(y + margin) + margin, moved.row(y + margin) + margin + size);
  return patch;
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

View draw_view(RngKey class_key, int view_index, double strength, int size, const Difficulty& difficulty, bool jpeg) {
  const RngKey key = class_key.at(static_cast<uint64_t>(view_index));
  const auto of = [&](Hardness kind) { return difficulty.strength(kind, strength); };
  RngStream rng(key);
  View view;
  view.patch_from_view = draw_warp(rng, of(Hardness::kWarp), size);
  view.blur = of(Hardness::kBlur) * rng.uniform(0, kBlur);
  draw_tone(rng, strength, difficulty, view);
  if (jpeg && strength > 0) draw_jpeg(rng, strength, view);
  const double centre = 0.5 * (size - 1);
  view.motion = draw_motion(RngStream(key.at(kMotionStream)), of(Hardness::kMotion), kMotion * size);
  view.second = draw_second_surface(class_key, key, of(Hardness::kParallax), size);
  view.occluder = draw_occluder(RngStream(key.at(kOcclusionStream)), of(Hardness::kOcclusion), size);
  view.shadows = draw_shadow(RngStream(key.at(kShadowStream)), of(Hardness::kShadow), {centre, centre}, size);
  return view;
}

void render_view(const ScalePyramid& pyramid, const Affine2& image_from_patch, const View& view, int size,
                 uint8_t* out) {
  const std::vector<float> light = expose(pyramid, image_from_patch, view, size);
  develop(view, light, size, size, out);
  if (view.jpeg_quality > 0) {
    jpeg_round_trip({out, light.size()}, size, view.jpeg_quality, view.jpeg_shift_x, view.jpeg_shift_y);
  }
}

}  // namespace adasample
