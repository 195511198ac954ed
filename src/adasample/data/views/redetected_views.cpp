// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/redetected_views.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/data/views/picture_view.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/refound.h"

namespace adasample {
namespace {

constexpr double kFlattestFound = 2;  // standard deviation in grey levels
constexpr double kClear = 0.3;        // of a region's radius: nearer to an edge in front, it is the edge that was found

// Keypoints and where they stood in the list they are from.
struct Selection {
  std::vector<Keypoint> keypoints;
  std::vector<size_t> index;
};

template <typename Wanted>
Selection select(std::span<const Keypoint> keypoints, const Wanted& wanted) {
  Selection selection;
  for (size_t i = 0; i < keypoints.size(); ++i) {
    if (!wanted(keypoints[i])) continue;
    selection.keypoints.push_back(keypoints[i]);
    selection.index.push_back(i);
  }
  return selection;
}

Point2 place_of(const Keypoint& k) { return {k.x, k.y}; }

// Surface by surface: what lies on one is off by that surface's map, and covers what lies behind it.
std::vector<RefoundKeypoint> find_on_surfaces(std::span<const Keypoint> reference, std::span<const Keypoint> found,
                                              const PictureView& view, double region_factor, double min_overlap) {
  const auto on_near = [&](const Keypoint& k) {
    return std::any_of(view.near.begin(), view.near.end(), [&](const Disc& d) { return d.depth(place_of(k)) > 0; });
  };
  std::vector<RefoundKeypoint> all;
  for (const bool near : {false, true}) {
    const Selection there = select(reference, [&](const Keypoint& k) { return on_near(k) == near; });
    const Selection here = select(found, [&](const Keypoint& k) {
      return view.shows_near(place_of(k)) == near && !view.is_covered(place_of(k), kClear * region_factor * k.sigma);
    });
    const Homography view_from_picture = view.picture_from_surface(near).inverse();
    for (RefoundKeypoint pair :
         find_again(there.keypoints, here.keypoints, view_from_picture, region_factor, min_overlap)) {
      pair.ref = there.index[pair.ref];
      pair.target = here.index[pair.target];
      all.push_back(pair);
    }
  }
  return all;
}

// What one view adds: of which keypoint, its patch, how far off.
struct Refound {
  size_t ref = 0;
  float strength = 0;
  PatchClass patch;
};

class Redetection {
 public:
  Redetection(const ScalePyramid& picture, std::span<const Keypoint> keypoints, RngKey key,
              const ViewClassOptions& options, const KeypointDetector& detector, const RedetectOptions& redetect)
      : picture_(picture),
        keypoints_(keypoints),
        key_(key),
        options_(options),
        detector_(detector),
        redetect_(redetect) {}

  std::vector<Refound> look_at(int index) const {
    const double strength = view_strength(options_.jitter, index, options_.views);
    const PictureView view = draw_picture_view(key_, index, strength, picture_.width(), picture_.height(),
                                               options_.difficulty, options_.jpeg);
    const ScalePyramid seen(render_picture_view(picture_, view));
    const std::vector<Keypoint> found = detector_.detect(seen);
    std::vector<Refound> result;
    for (const RefoundKeypoint& pair :
         find_on_surfaces(keypoints_, found, view, options_.region_factor, redetect_.min_overlap)) {
      if (std::abs(pair.turn) > redetect_.max_turn) continue;
      PatchClass patch = patch_at(seen, found[pair.target], kFlattestFound);
      if (patch.empty()) continue;
      result.push_back({.ref = pair.ref, .strength = static_cast<float>(1 - pair.overlap), .patch = std::move(patch)});
    }
    return result;
  }

  // Empty where it leaves the picture or is flat.
  PatchClass patch_at(const ScalePyramid& picture, const Keypoint& keypoint, double flattest) const {
    const int size = options_.patch_size;
    const Affine2 frame = keypoint_frame(keypoint, options_.region_factor, size);
    if (!is_inside(frame, size, picture.width(), picture.height())) return {};
    PatchClass patch(static_cast<size_t>(size) * static_cast<size_t>(size));
    cut(picture, frame, size, patch.data());
    if (standard_deviation(patch) < flattest) patch.clear();
    return patch;
  }

 private:
  const ScalePyramid& picture_;
  std::span<const Keypoint> keypoints_;
  RngKey key_;
  const ViewClassOptions& options_;
  const KeypointDetector& detector_;
  const RedetectOptions& redetect_;
};

}  // namespace

void RedetectOptions::validate() const {
  ADA_USAGE(min_overlap > 0 && min_overlap <= 1, "RedetectOptions::min_overlap = {}, must be in (0, 1]", min_overlap);
  ADA_USAGE(max_turn > 0 && max_turn <= 180, "RedetectOptions::max_turn = {}, must be in (0, 180] degrees", max_turn);
}

nlohmann::json RedetectOptions::describe() const { return {{"min_overlap", min_overlap}, {"max_turn", max_turn}}; }

std::vector<GradedClass> redetect_classes(const ScalePyramid& picture, std::span<const Keypoint> keypoints, RngKey key,
                                          const ViewClassOptions& options, const KeypointDetector& detector,
                                          const RedetectOptions& redetect) {
  const Redetection redetection(picture, keypoints, key, options, detector, redetect);
  std::vector<GradedClass> classes(keypoints.size());
  for (size_t i = 0; i < keypoints.size(); ++i) {
    classes[i].patches = redetection.patch_at(picture, keypoints[i], options.min_contrast);
    if (classes[i].patches.empty()) continue;
    classes[i].strengths = {0};
    classes[i].views = {0};
  }
  std::vector<std::vector<Refound>> views(static_cast<size_t>(options.views - 1));
  parallel_for(std::ssize(views), [&](int64_t v) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[views] interrupted; nothing was written");
    views[static_cast<size_t>(v)] = redetection.look_at(static_cast<int>(v) + 1);
  });
  for (size_t v = 0; v < views.size(); ++v) {
    for (const Refound& found : views[v]) {
      GradedClass& owner = classes[found.ref];
      if (owner.strengths.empty()) continue;
      owner.patches.insert(owner.patches.end(), found.patch.begin(), found.patch.end());
      owner.strengths.push_back(found.strength);
      owner.views.push_back(static_cast<int>(v) + 1);
    }
  }
  for (GradedClass& one : classes) {
    if (one.strengths.size() < 2) one = {};
  }
  return classes;
}

}  // namespace adasample
