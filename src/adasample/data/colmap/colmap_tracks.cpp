// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_tracks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/region_index.h"

namespace adasample {
namespace {

using Vector3 = std::array<double, 3>;

constexpr double kSamePlace = 0.1;  // pixels; the database keeps coordinates as 32-bit floats
constexpr size_t kMostRays = 1024;  // of a point, compared each with each

// Direction from `from` to `to`; zero when they coincide.
Vector3 direction(const Vector3& from, const Vector3& to) {
  Vector3 d;
  for (size_t i = 0; i < 3; ++i) d[i] = to[i] - from[i];
  const double length = std::hypot(d[0], d[1], d[2]);
  for (double& x : d) x = length > 0 ? x / length : 0;
  return d;
}

// Whether two of the rays from the point to the cameras that see it are at least `angle` (radians) apart. Of very many
// cameras every so many-th is asked.
bool wide_enough(const ColmapTrack& track, const std::vector<Vector3>& centres, double angle) {
  std::vector<Vector3> rays;
  const size_t step = (track.views.size() + kMostRays - 1) / kMostRays;
  for (size_t i = 0; i < track.views.size(); i += step) {
    rays.push_back(direction(track.point->position, centres[track.views[i].image]));
    const Vector3& b = rays.back();
    for (const Vector3& a : rays) {
      if (std::inner_product(a.begin(), a.end(), b.begin(), 0.0) <= std::cos(angle)) return true;
    }
  }
  return false;
}

// One place a photograph, by image.
std::vector<ColmapView> distinct_views(const ColmapModel& model, const ColmapPoint& point) {
  std::vector<ColmapView> views;
  for (const ColmapObservation& seen : point.track) views.push_back({model.image_index(seen.image), seen.index, {}});
  const auto by_image = [](const ColmapView& a, const ColmapView& b) {
    return std::tie(a.image, a.index) < std::tie(b.image, b.index);
  };
  const auto same_image = [](const ColmapView& a, const ColmapView& b) { return a.image == b.image; };
  std::sort(views.begin(), views.end(), by_image);
  views.erase(std::unique(views.begin(), views.end(), same_image), views.end());
  return views;
}

std::vector<bool> held_out_images(const ColmapModel& model, const std::vector<std::string>& names) {
  std::vector<bool> held_out(model.images.size());
  for (const std::string& name : names) {
    const auto found =
        std::find_if(model.images.begin(), model.images.end(), [&](const auto& i) { return i.name == name; });
    ADA_USAGE(found != model.images.end(),
              "[colmap] ColmapOptions::holdout: the model has no photograph {}, its first is {}", name,
              model.images.empty() ? "none" : model.images.front().name);
    held_out[static_cast<size_t>(found - model.images.begin())] = true;
  }
  return held_out;
}

SquareRegion region_of(const ColmapView& view, const ColmapOptions& options) {
  return {view.keypoint.x, view.keypoint.y, options.region * view.keypoint.sigma};
}

// The keypoint the model means, if the database's is at the same place.
Keypoint keypoint_at(const ColmapImage& image, uint32_t index, const std::vector<Keypoint>& found,
                     const ColmapOptions& options) {
  ADA_CHECK(index < found.size(),
            "[colmap] {}: the model uses keypoint {}, the database has {} - another model's database?", image.name,
            index, found.size());
  Keypoint keypoint = found[index];
  const double x = image.points[index].x - 0.5, y = image.points[index].y - 0.5;
  ADA_CHECK(std::abs(x - keypoint.x) < kSamePlace && std::abs(y - keypoint.y) < kSamePlace,
            "[colmap] {}: keypoint {} is at ({:.2f}, {:.2f}) in the model, at ({:.2f}, {:.2f}) in the database - "
            "another model's database, or undistorted photographs?",
            image.name, index, x, y, keypoint.x, keypoint.y);
  if (keypoint.sigma == 0) keypoint.sigma = options.sigma;
  ADA_CHECK(keypoint.sigma != 0,
            "[colmap] {}: the keypoints have a place but no scale, so the region around them is not known - give "
            "--sigma",
            image.name);
  return keypoint;
}

// The views of all tracks in each image: (image) lists of pointers into the tracks.
std::vector<std::vector<ColmapView*>> views_by_image(const ColmapModel& model, std::vector<ColmapTrack>& tracks) {
  std::vector<std::vector<ColmapView*>> lists(model.images.size());
  for (ColmapTrack& track : tracks) {
    for (ColmapView& view : track.views) lists[view.image].push_back(&view);
  }
  return lists;
}

}  // namespace

void ColmapOptions::validate() const {
  ADA_USAGE(min_track >= 2 && min_track <= 10000, "ColmapOptions::min_track = {}, must be 2 to 10000", min_track);
  ADA_USAGE(min_angle >= 0 && min_angle <= 180, "ColmapOptions::min_angle = {}, must be 0 to 180 degrees", min_angle);
  ADA_USAGE(max_error > 0 && max_error <= 1000, "ColmapOptions::max_error = {}, must be above 0, 1000 at most",
            max_error);
  ADA_USAGE(max_views >= 2 && max_views <= 4096, "ColmapOptions::max_views = {}, must be 2 to 4096", max_views);
  ADA_USAGE(region >= 1 && region <= 100, "ColmapOptions::region = {}, must be 1 to 100", region);
  ADA_USAGE(max_overlap >= 0 && max_overlap <= 1, "ColmapOptions::max_overlap = {}, must be 0 to 1", max_overlap);
  ADA_USAGE(patch_size >= 8 && patch_size <= 256, "ColmapOptions::patch_size = {}, must be 8 to 256", patch_size);
  ADA_USAGE(sigma == 0 || (sigma >= 0.1 && sigma <= 1000), "ColmapOptions::sigma = {}, must be 0.1 to 1000, or 0",
            sigma);
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 60, "ColmapOptions::min_contrast = {}, must be 0 to 60", min_contrast);
  ADA_USAGE(block_bytes >= 1, "ColmapOptions::block_bytes = {}, must be >= 1", block_bytes);
  copies.validate();
}

std::vector<ColmapTrack> select_tracks(const ColmapModel& model, const ColmapOptions& options, ColmapTally& tally) {
  const std::vector<bool> held_out = held_out_images(model, options.holdout);
  std::vector<Vector3> centres;
  for (const ColmapImage& image : model.images) centres.push_back(image.centre());
  std::vector<ColmapTrack> tracks;
  tally.points = static_cast<int64_t>(model.points.size());
  for (const ColmapPoint& point : model.points) {
    ColmapTrack track{&point, distinct_views(model, point)};
    if (std::ssize(track.views) < options.min_track) {
      ++tally.short_track;
    } else if (point.error > options.max_error) {
      ++tally.large_error;
    } else if (!wide_enough(track, centres, options.min_angle * std::numbers::pi / 180)) {
      ++tally.small_angle;
    } else if (std::any_of(track.views.begin(), track.views.end(), [&](const auto& v) { return held_out[v.image]; })) {
      ++tally.held_out;
    } else {
      tracks.push_back(std::move(track));
    }
  }
  return tracks;
}

void locate_tracks(const ColmapModel& model, const ColmapKeypoints& keypoints, const ColmapOptions& options,
                   std::vector<ColmapTrack>& tracks, ColmapTally& tally) {
  const auto lists = views_by_image(model, tracks);
  parallel_for(static_cast<int64_t>(lists.size()), [&](int64_t i) {
    const auto& views = lists[static_cast<size_t>(i)];
    if (views.empty()) return;
    const ColmapImage& image = model.images[static_cast<size_t>(i)];
    const std::vector<Keypoint> found = keypoints(image.name);
    for (ColmapView* view : views) view->keypoint = keypoint_at(image, view->index, found, options);
  });
  const auto leaves_image = [&](const ColmapView& view) {
    if (view.keypoint.sigma < 0) return true;
    const ColmapCamera& camera = model.camera(model.images[view.image].camera);
    const Affine2 frame = keypoint_frame(view.keypoint, options.region, options.patch_size);
    return !is_inside(frame, options.patch_size, camera.width, camera.height);
  };
  for (ColmapTrack& track : tracks) std::erase_if(track.views, leaves_image);
  tally.out_of_image +=
      static_cast<int64_t>(std::erase_if(tracks, [](const ColmapTrack& track) { return track.views.size() < 2; }));
}

void drop_same_spots(const ColmapModel& model, const ColmapOptions& options, std::vector<ColmapTrack>& tracks,
                     ColmapTally& tally) {
  std::vector<size_t> order(tracks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {  // equal ones stay in the order of ids
    const ColmapPoint &p = *tracks[a].point, &q = *tracks[b].point;
    return p.track.size() != q.track.size() ? p.track.size() > q.track.size() : p.error < q.error;
  });
  std::vector<RegionIndex> taken(model.images.size(), RegionIndex(options.max_overlap));
  for (const size_t i : order) {
    auto& views = tracks[i].views;
    const bool same_spot = std::any_of(views.begin(), views.end(), [&](const ColmapView& view) {
      return taken[view.image].covers(region_of(view, options));
    });
    if (same_spot) {
      views.clear();
    } else {
      for (const ColmapView& view : views) taken[view.image].insert(region_of(view, options));
    }
  }
  tally.same_spot +=
      static_cast<int64_t>(std::erase_if(tracks, [](const ColmapTrack& track) { return track.views.empty(); }));
}

void choose_views(const ColmapModel& model, const ColmapOptions& options, std::vector<ColmapTrack>& tracks) {
  for (ColmapTrack& track : tracks) {
    if (std::ssize(track.views) <= options.max_views) continue;
    const RngKey key = RngKey(options.seed, Draw::kColmap).at(track.point->id);
    const auto draw = [&](const ColmapView& view) { return key.at(model.images[view.image].id).bits(); };
    std::sort(track.views.begin(), track.views.end(),
              [&](const ColmapView& a, const ColmapView& b) { return draw(a) < draw(b); });
    track.views.resize(static_cast<size_t>(options.max_views));
    std::sort(track.views.begin(), track.views.end(),
              [](const ColmapView& a, const ColmapView& b) { return a.image < b.image; });
  }
}

}  // namespace adasample
