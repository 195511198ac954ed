// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/refound.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr double kTurnWeight = 1e-6;  // of half a turn: decides among equal overlaps alone

Affine2 disc_of(const Keypoint& k, double region_factor) {
  const double radius = region_factor * k.sigma;
  return Affine2::translation(k.x, k.y) * Affine2::scaling(radius, radius);
}

// A keypoint of the target as the reference would have it.
struct MappedBack {
  Affine2 disc;      // image of the unit disc
  double reach = 0;  // of the ellipse from its centre
  double angle = 0;  // radians
};

// None beyond the horizon, where the map would mirror.
std::optional<MappedBack> map_back(const Keypoint& k, const Homography& ref_from_target, double region_factor) {
  const Point2 place = {k.x, k.y};
  if (ref_from_target.depth(place) == 0) return std::nullopt;
  const Affine2 local = ref_from_target.linearised_at(place);
  if (!(local.determinant() > 0)) return std::nullopt;
  MappedBack mapped{.disc = local * disc_of(k, region_factor)};
  mapped.reach = mapped.disc.largest_singular_value();
  const double cosine = std::cos(k.angle), sine = std::sin(k.angle);
  mapped.angle = std::atan2(local.c * cosine + local.d * sine, local.a * cosine + local.b * sine);
  return mapped;
}

double turn_between(double from, double to) {  // degrees
  return std::remainder(to - from, 2 * std::numbers::pi) * 180 / std::numbers::pi;
}

// How the mapped keypoint fits that of the reference; none where they cannot overlap by `least`.
std::optional<RefoundKeypoint> compare(const Keypoint& ref, const MappedBack& mapped, double region_factor,
                                       double least) {
  const double radius = region_factor * ref.sigma;
  const double distance = std::hypot(mapped.disc.tx - ref.x, mapped.disc.ty - ref.y);
  if (distance >= radius + mapped.reach) return std::nullopt;
  const double areas = mapped.disc.determinant() / (radius * radius);
  if (std::min(areas, 1 / areas) < least) return std::nullopt;
  const double overlap = ellipse_overlap(disc_of(ref, region_factor), mapped.disc);
  if (overlap < least) return std::nullopt;
  return RefoundKeypoint{.overlap = overlap,
                         .turn = turn_between(ref.angle, mapped.angle),
                         .shift = distance / radius,
                         .scale = std::log2(areas) / 2};
}

double fit(const RefoundKeypoint& pair) { return pair.overlap - kTurnWeight * std::abs(pair.turn) / 180; }

}  // namespace

std::vector<RefoundKeypoint> find_again(std::span<const Keypoint> ref, std::span<const Keypoint> target,
                                        const Homography& target_from_ref, double region_factor, double min_overlap) {
  const Homography ref_from_target = target_from_ref.inverse();
  std::vector<std::optional<RefoundKeypoint>> of_ref(ref.size()), of_target(target.size());
  const auto better = [](const RefoundKeypoint& pair, const std::optional<RefoundKeypoint>& best) {
    return !best || fit(pair) > fit(*best);
  };
  for (size_t t = 0; t < target.size(); ++t) {
    const auto mapped = map_back(target[t], ref_from_target, region_factor);
    if (!mapped) continue;
    for (size_t r = 0; r < ref.size(); ++r) {
      auto pair = compare(ref[r], *mapped, region_factor, min_overlap);
      if (!pair) continue;
      pair->ref = r;
      pair->target = t;
      if (better(*pair, of_ref[r])) of_ref[r] = pair;
      if (better(*pair, of_target[t])) of_target[t] = pair;
    }
  }
  std::vector<RefoundKeypoint> pairs;
  for (size_t r = 0; r < ref.size(); ++r) {
    if (of_ref[r] && of_target[of_ref[r]->target]->ref == r) pairs.push_back(*of_ref[r]);
  }
  return pairs;
}

}  // namespace adasample
