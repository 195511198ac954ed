// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/sequence_patches.h"

#include <algorithm>

#include "adasample/base/parallel.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/features/detect/detector.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr int kSize = kHpatchesSide;
constexpr size_t kStripArea = size_t{kSize} * kSize;
enum class Fate : uint8_t { kUsable, kOutsideReference, kFlat, kOutsideTarget };

RngKey sequence_key(uint64_t seed, Draw draw, const std::string& name) {
  RngKey key(seed, draw);
  for (const char c : name) key = key.at(static_cast<unsigned char>(c));
  return key;
}

// patch_from_found
Affine2 draw_noise(const NoiseLevels& noise, const SelectedKeypoint& keypoint, size_t target, size_t level) {
  return draw_frame_noise(keypoint.key.at(target).at(level), noise.ranges, noise.levels[level].factor, kSize);
}

Homography target_from_patch(const Sequence& sequence, const NoiseLevels& noise, const SelectedKeypoint& keypoint,
                             size_t target, size_t level) {
  return sequence.target_from_ref[target] *
         Homography(keypoint.ref_from_patch * draw_noise(noise, keypoint, target, level));
}

bool inside_all_targets(const Sequence& sequence, const NoiseLevels& noise, const SelectedKeypoint& keypoint) {
  for (size_t target = 0; target < sequence.target_from_ref.size(); ++target) {
    const ScalePyramid& image = *sequence.images[target + 1];
    for (size_t level = 0; level < noise.levels.size(); ++level) {
      const Homography map = target_from_patch(sequence, noise, keypoint, target, level);
      if (!is_inside(map, kSize, image.width(), image.height())) return false;
    }
  }
  return true;
}

Fate judge(const Sequence& sequence, const NoiseLevels& noise, const SelectedKeypoint& keypoint, double min_contrast) {
  const ScalePyramid& reference = *sequence.images[0];
  if (!is_inside(keypoint.ref_from_patch, kSize, reference.width(), reference.height())) return Fate::kOutsideReference;
  if (!inside_all_targets(sequence, noise, keypoint)) return Fate::kOutsideTarget;
  std::vector<uint8_t> patch(kStripArea);
  cut(reference, keypoint.ref_from_patch, kSize, patch.data());
  return standard_deviation(patch) < min_contrast ? Fate::kFlat : Fate::kUsable;
}

template <typename Cut>
GrayImage strip_of(const Selection& selection, const Cut& cut_into) {
  GrayImage strip(kSize, kSize * static_cast<int>(selection.keypoints.size()));
  for (size_t i = 0; i < selection.keypoints.size(); ++i) {
    cut_into(selection.keypoints[i], strip.row(kSize * static_cast<int>(i)));
  }
  return strip;
}

}  // namespace

Selection select_keypoints(const Sequence& sequence, const std::string& name, const SequenceOptions& options,
                           const NoiseLevels& noise) {
  const ScalePyramid& reference = *sequence.images[0];
  std::vector<std::vector<Keypoint>> found(options.detectors.size());
  parallel_for(static_cast<int64_t>(found.size()), [&](int64_t i) {
    const auto detector = static_cast<size_t>(i);
    found[detector] = detect(*make_detector(options.detectors[detector]), reference);
  });
  Selection selection{.noise = noise, .keypoints = {}, .candidates = {}};
  std::vector<Keypoint> candidates;
  for (const std::vector<Keypoint>& some : found) {
    selection.candidates.push_back(static_cast<int64_t>(some.size()));
    candidates.insert(candidates.end(), some.begin(), some.end());
  }

  const RngKey shuffle_key = sequence_key(options.seed, Draw::kSequences, name);
  const RngKey noise_key = sequence_key(options.seed, Draw::kRefound, name);
  const auto with_frame = [&](size_t i) {
    return SelectedKeypoint{keypoint_frame(candidates[i], options.region_factor, kSize), noise_key.at(i)};
  };
  std::vector<Fate> fates(candidates.size());
  parallel_for(static_cast<int64_t>(candidates.size()), [&](int64_t i) {
    Keypoint& candidate = candidates[static_cast<size_t>(i)];
    candidate.angle = dominant_orientation(reference, candidate);
    fates[static_cast<size_t>(i)] = judge(sequence, noise, with_frame(static_cast<size_t>(i)), options.min_contrast);
  });
  const auto fate_count = [&](Fate fate) { return std::count(fates.begin(), fates.end(), fate); };
  selection.outside_reference = fate_count(Fate::kOutsideReference);
  selection.outside_target = fate_count(Fate::kOutsideTarget);
  selection.flat = fate_count(Fate::kFlat);

  // Clusters are thinned among what can be cut: no spot is lost to a neighbour that is dropped itself.
  std::vector<size_t> order = shuffled_order(candidates.size(), shuffle_key);
  std::erase_if(order, [&](size_t i) { return fates[i] != Fate::kUsable; });
  std::vector<size_t> kept = suppress_overlaps(candidates, order, options.region_factor, options.max_overlap);
  selection.overlapping = static_cast<int64_t>(order.size() - kept.size());
  const auto most = static_cast<size_t>(options.max_patches);
  if (kept.size() > most) {
    selection.beyond_max = static_cast<int64_t>(kept.size() - most);
    kept.resize(most);
  }
  for (const size_t i : kept) selection.keypoints.push_back(with_frame(i));
  return selection;
}

GrayImage reference_strip(const Sequence& sequence, const Selection& selection) {
  return strip_of(selection, [&](const SelectedKeypoint& keypoint, float* out) {
    cut(*sequence.images[0], keypoint.ref_from_patch, kSize, out);
  });
}

GrayImage target_strip(const Sequence& sequence, const Selection& selection, size_t target, size_t level) {
  return strip_of(selection, [&](const SelectedKeypoint& keypoint, float* out) {
    cut(*sequence.images[target + 1], target_from_patch(sequence, selection.noise, keypoint, target, level), kSize,
        out);
  });
}

std::vector<double> noise_overlaps(const Selection& selection, size_t target, size_t level) {
  std::vector<double> overlaps;
  for (const SelectedKeypoint& keypoint : selection.keypoints) {
    overlaps.push_back(disc_overlap(draw_noise(selection.noise, keypoint, target, level), kSize));
  }
  return overlaps;
}

}  // namespace adasample
