// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/picture_view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/files/jpeg.h"

namespace adasample {
namespace {

// At strength 1.
constexpr double kPictureTurn = 30 * std::numbers::pi / 180;
constexpr double kPictureOctaves = 0.5;
constexpr double kTiltOctaves = 0.5;
constexpr double kPerspective = 0.2;
constexpr double kPictureParallax = 0.015;  // of the shorter side
constexpr double kPictureMotion = 0.008;    // likewise
constexpr double kPictureBlur = 1.5;        // pixels

constexpr double kLargestWarp = 2;  // the horizon stays away
constexpr int kSurfaces = 8, kCovers = 6, kShadows = 3;
constexpr int kTile = 64;  // warped at a time, under one blur

// Streams of a picture's key, beyond those of its views, and of a view's key.
enum : uint64_t { kSurfaceStream = 1 << 20, kPictureShiftStream, kCoverStream, kPictureMotionStream, kLightStream };

Homography draw_homography(RngStream& rng, double strength, int width, int height) {
  const auto symmetric = [&](double end) { return strength * rng.uniform(-end, end); };
  const double turn = symmetric(kPictureTurn), zoom = std::exp2(symmetric(kPictureOctaves));
  const double tilt = std::exp2(0.5 * symmetric(kTiltOctaves)), axis = rng.uniform(0, kFullTurn);
  const double towards = rng.uniform(0, kFullTurn), slope = symmetric(kPerspective) / std::hypot(width, height) * 2;
  const Point2 centre = {0.5 * (width - 1), 0.5 * (height - 1)};
  const Affine2 affine = Affine2::translation(centre.x, centre.y) * Affine2::rotation(turn) * Affine2::rotation(axis) *
                         Affine2::scaling(zoom * tilt, zoom / tilt) * Affine2::rotation(-axis);
  const Homography perspective({1, 0, 0, 0, 1, 0, slope * std::cos(towards), slope * std::sin(towards), 1});
  return Homography(affine) * perspective * Homography(Affine2::translation(-centre.x, -centre.y));
}

Disc draw_disc(RngStream& rng, int width, int height, double smallest, double largest) {
  const double side = std::min(width, height);
  return {.x = rng.uniform(0, width), .y = rng.uniform(0, height), .radius = side * rng.uniform(smallest, largest)};
}

double deepest(const std::vector<Disc>& discs, Point2 p) {
  double depth = -1e9;
  for (const Disc& disc : discs) depth = std::max(depth, disc.depth(p));
  return depth;
}

Point2 at(int x, int y) { return {static_cast<double>(x), static_cast<double>(y)}; }

GrayImage warped(const ScalePyramid& picture, const Homography& picture_from_view) {
  GrayImage result(picture.width(), picture.height());
  std::vector<float> tile(size_t{kTile} * kTile);
  for (int top = 0; top < result.height; top += kTile) {
    for (int left = 0; left < result.width; left += kTile) {
      cut(picture, picture_from_view * Homography(Affine2::translation(left, top)), kTile, tile.data());
      const int wide = std::min(kTile, result.width - left), high = std::min(kTile, result.height - top);
      for (int y = 0; y < high; ++y) std::copy_n(tile.data() + y * kTile, wide, result.row(top + y) + left);
    }
  }
  return result;
}

void add_near_surfaces(const ScalePyramid& picture, const PictureView& view, GrayImage& canvas) {
  const Homography picture_from_near = view.picture_from_surface(true);
  const GrayImage near = warped(picture, picture_from_near);
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x) {
      const double depth = deepest(view.near, picture_from_near(at(x, y)));
      if (depth > -1) canvas.at(x, y) += static_cast<float>(coverage(depth, 1)) * (near.at(x, y) - canvas.at(x, y));
    }
  }
}

void add_covers(const std::vector<Cover>& covers, GrayImage& canvas) {
  const GrayImage behind = canvas;
  for (const Cover& cover : covers) {
    const int reach = static_cast<int>(std::ceil(cover.where.radius)) + 1;
    const int x0 = static_cast<int>(cover.where.x), y0 = static_cast<int>(cover.where.y);
    for (int y = std::max(0, y0 - reach); y < std::min(canvas.height, y0 + reach + 1); ++y) {
      for (int x = std::max(0, x0 - reach); x < std::min(canvas.width, x0 + reach + 1); ++x) {
        const auto share = static_cast<float>(coverage(cover.where.depth(at(x, y)), 1));
        const float seen = behind.at(reflect(x + cover.dx, canvas.width), reflect(y + cover.dy, canvas.height));
        canvas.at(x, y) += share * (seen - canvas.at(x, y));
      }
    }
  }
}

}  // namespace

Homography PictureView::picture_from_surface(bool is_near) const {
  return is_near ? Homography(Affine2::translation(shift.x, shift.y)) * picture_from_view : picture_from_view;
}

bool PictureView::shows_near(Point2 p) const {
  return !near.empty() && deepest(near, picture_from_surface(true)(p)) > 0;
}

bool PictureView::is_covered(Point2 p, double clear) const {
  return std::any_of(covers.begin(), covers.end(), [&](const Cover& cover) { return cover.where.depth(p) > -clear; });
}

PictureView draw_picture_view(RngKey picture_key, int view_index, double strength, int width, int height,
                              const Difficulty& difficulty, bool jpeg) {
  const RngKey key = picture_key.at(static_cast<uint64_t>(view_index));
  const auto of = [&](Hardness kind) { return difficulty.strength(kind, strength); };
  const double side = std::min(width, height);
  RngStream rng(key);
  PictureView view;
  view.picture_from_view = draw_homography(rng, std::min(kLargestWarp, of(Hardness::kWarp)), width, height);
  view.blur = of(Hardness::kBlur) * rng.uniform(0, kPictureBlur);
  draw_tone(rng, strength, difficulty, view);
  if (jpeg && strength > 0) draw_jpeg(rng, strength, view);
  view.motion = draw_motion(RngStream(key.at(kPictureMotionStream)), of(Hardness::kMotion), kPictureMotion * side);
  if (const double parallax = of(Hardness::kParallax); parallax > 0) {
    RngStream surfaces(picture_key.at(kSurfaceStream)), shift(key.at(kPictureShiftStream));
    for (int i = 0; i < kSurfaces; ++i) view.near.push_back(draw_disc(surfaces, width, height, 0.05, 0.2));
    const double towards = shift.uniform(0, kFullTurn), length = parallax * shift.uniform(0, kPictureParallax) * side;
    view.shift = {length * std::cos(towards), length * std::sin(towards)};
  }
  if (const double occlusion = of(Hardness::kOcclusion); occlusion > 0) {
    RngStream covers(key.at(kCoverStream));
    for (int i = 0; i < kCovers; ++i) {
      Cover cover{.where = draw_disc(covers, width, height, 0.02, 0.12)};
      cover.where.radius *= std::min(2.0, occlusion);
      cover.dx = static_cast<int>(covers.index(width));
      cover.dy = static_cast<int>(covers.index(height));
      view.covers.push_back(cover);
    }
  }
  for (uint64_t i = 0; i < kShadows; ++i) {
    RngStream place(key.at(kLightStream).at(i));
    const Point2 centre = {place.uniform(0, width), place.uniform(0, height)};
    for (const Shadow& shadow : draw_shadow(place, of(Hardness::kShadow), centre, 0.3 * side)) {
      view.shadows.push_back(shadow);
    }
  }
  return view;
}

GrayImage render_picture_view(const ScalePyramid& picture, const PictureView& view) {
  GrayImage canvas = warped(picture, view.picture_from_view);
  if (!view.near.empty()) add_near_surfaces(picture, view, canvas);
  if (!view.covers.empty()) add_covers(view.covers, canvas);
  canvas = gaussian_blur(canvas, view.blur);
  if (view.motion.x != 0 || view.motion.y != 0) canvas = motion_blur(canvas, view.motion);
  ByteImage bytes{.width = canvas.width, .height = canvas.height, .pixels = std::vector<uint8_t>(canvas.pixels.size())};
  develop(view, canvas.pixels, canvas.width, canvas.height, bytes.pixels.data());
  if (view.jpeg_quality > 0) jpeg_round_trip(bytes, view.jpeg_quality);
  std::copy(bytes.pixels.begin(), bytes.pixels.end(), canvas.pixels.begin());
  return canvas;
}

}  // namespace adasample
