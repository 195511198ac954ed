// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/redetected.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/sequences/frame_noise.h"
#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/data/store/provenance.h"
#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

void stop_if_asked() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[redetected] interrupted; nothing was written");
}

struct RedetectedSequence {
  SequenceFiles files;
  std::vector<int64_t> keypoints;                   // a picture, those that can be cut
  std::vector<std::vector<RefoundKeypoint>> again;  // a target, before points are thinned out
  std::vector<PointViews> points;
  std::vector<uint8_t> patches;  // point after point, view after view
  std::string sha256;
};

// Indices of `chosen` without those whose discs overlap an earlier one's.
std::vector<size_t> thinned(const std::vector<Keypoint>& keypoints, const std::vector<size_t>& chosen,
                            const RedetectedOptions& options) {
  return suppress_overlaps(keypoints, chosen, options.features.region_factor, options.max_overlap);
}

std::vector<uint8_t> cut_points(const std::vector<PointViews>& points, const Sequence& sequence,
                                const FeatureOptions& options, int size) {
  const size_t area = static_cast<size_t>(size) * static_cast<size_t>(size);
  std::vector<size_t> first = {0};
  for (const PointViews& point : points) first.push_back(first.back() + point.views.size());
  std::vector<uint8_t> patches(first.back() * area);
  parallel_for(std::ssize(points), [&](int64_t i) {
    const auto p = static_cast<size_t>(i);
    uint8_t* out = patches.data() + first[p] * area;
    for (const auto& [picture, keypoint] : points[p].views) {
      cut(*sequence.images[picture], keypoint_frame(keypoint, options.region_factor, size), size, out);
      out += area;
    }
  });
  return patches;
}

RedetectedSequence redetect(const fs::path& folder, const KeypointDetector& detector,
                            const RedetectedOptions& options) {
  const FeatureOptions& features = options.features;
  RedetectedSequence result;
  result.files = find_sequence(folder);
  const Sequence sequence = read_sequence(result.files);
  result.sha256 = sequence.sha256;
  std::vector<std::vector<Keypoint>> keypoints(sequence.images.size());
  parallel_for(std::ssize(keypoints), [&](int64_t i) {
    stop_if_asked();
    const ScalePyramid& picture = *sequence.images[static_cast<size_t>(i)];
    std::vector<Keypoint> found = detector.detect(picture);
    std::erase_if(found, [&](const Keypoint& k) {
      return !is_inside(keypoint_frame(k, features.region_factor, features.size), features.size, picture.width(),
                        picture.height());
    });
    keypoints[static_cast<size_t>(i)] = std::move(found);
  });
  for (const auto& some : keypoints) result.keypoints.push_back(std::ssize(some));
  result.again.resize(sequence.target_from_ref.size());
  parallel_for(std::ssize(result.again), [&](int64_t i) {
    const auto target = static_cast<size_t>(i);
    result.again[target] = find_again(keypoints[0], keypoints[target + 1], sequence.target_from_ref[target],
                                      features.region_factor, options.min_overlap);
  });
  result.points = choose_points(keypoints, result.again, options);
  ADA_CHECK(!result.points.empty(), "[redetected] {}: none of {} keypoints of the reference is found again",
            folder.string(), keypoints[0].size());
  result.patches = cut_points(result.points, sequence, features, cut_size(features.size, options.copies));
  return result;
}

// How far off the detector was: medians of sizes, and the share of those turned by more than 45 degrees.
Json noise_of(const std::vector<RefoundKeypoint>& pairs) {
  constexpr double kOtherWay = 45;
  std::vector<double> overlap, turn, shift, scale;
  for (const RefoundKeypoint& pair : pairs) {
    overlap.push_back(pair.overlap);
    turn.push_back(std::abs(pair.turn));
    shift.push_back(pair.shift);
    scale.push_back(std::abs(pair.scale));
  }
  const auto other_way = std::count_if(turn.begin(), turn.end(), [](double t) { return t > kOtherWay; });
  return {{"overlap", median(overlap)},
          {"turn", median(turn)},
          {"shift", median(shift)},
          {"scale", median(scale)},
          {"other_way", static_cast<double>(other_way) / static_cast<double>(turn.size())}};
}

std::vector<RefoundKeypoint> all_of(const std::vector<std::vector<RefoundKeypoint>>& again) {
  std::vector<RefoundKeypoint> all;
  for (const auto& pairs : again) all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

Json describe_redetected(const RedetectedSequence& s) {
  Json again = Json::array();
  for (const auto& pairs : s.again) again.push_back(pairs.size());
  int64_t patches = 0;
  for (const PointViews& point : s.points) patches += std::ssize(point.views);
  return {
      {"name", s.files.name},       {"sha256", s.sha256}, {"keypoints", s.keypoints},          {"found_again", again},
      {"classes", s.points.size()}, {"patches", patches}, {"noise", noise_of(all_of(s.again))}};
}

}  // namespace

void RedetectedOptions::validate() const {
  features.validate();
  copies.validate();
  ADA_USAGE(min_overlap > 0 && min_overlap <= 1, "RedetectedOptions::min_overlap = {}, must be in (0, 1]", min_overlap);
  ADA_USAGE(max_overlap > 0 && max_overlap <= 1, "RedetectedOptions::max_overlap = {}, must be in (0, 1]", max_overlap);
}

std::vector<PointViews> choose_points(const std::vector<std::vector<Keypoint>>& keypoints,
                                      const std::vector<std::vector<RefoundKeypoint>>& again,
                                      const RedetectedOptions& options) {
  const std::vector<Keypoint>& reference = keypoints[0];
  std::vector<uint8_t> found(reference.size());
  for (const auto& pairs : again) {
    for (const RefoundKeypoint& pair : pairs) found[pair.ref] = 1;
  }
  std::vector<size_t> seen;  // strongest first
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] != 0) seen.push_back(i);
  }
  std::vector<PointViews> points(reference.size());  // by the keypoint of the reference
  for (const size_t i : thinned(reference, seen, options)) points[i].views.push_back({0, reference[i]});
  for (size_t target = 0; target < again.size(); ++target) {
    const std::vector<Keypoint>& there = keypoints[target + 1];
    std::vector<size_t> order, ref_of(there.size());
    for (const RefoundKeypoint& pair : again[target]) {
      if (points[pair.ref].views.empty()) continue;
      order.push_back(pair.target);  // in the order of the reference's strength
      ref_of[pair.target] = pair.ref;
    }
    for (const size_t i : thinned(there, order, options)) points[ref_of[i]].views.push_back({target + 1, there[i]});
  }
  std::erase_if(points, [](const PointViews& point) { return point.views.size() < 2; });
  return points;
}

Json make_redetected_store(const fs::path& folder, const RedetectedOptions& options, const fs::path& out) {
  options.validate();
  const auto detector = make_keypoint_detector(options.features);
  const std::vector<fs::path> folders = sequence_folders(folder);
  PatchStoreWriter writer(out, options.features.size);
  Progress progress("redetected", "sequences", std::ssize(folders));
  const auto side = static_cast<size_t>(cut_size(options.features.size, options.copies));
  const bool filled = options.copies.positives > 0;
  std::vector<std::string> scenes, pictures, picture_scenes, picture_hashes;
  std::vector<RefoundKeypoint> all;
  Json sequences = Json::array(), skipped = Json::array();
  for (const fs::path& one : folders) {
    stop_if_asked();
    std::optional<RedetectedSequence> sequence;
    try {
      sequence = redetect(one, *detector, options);
    } catch (const Error& error) {
      if (!options.skip_bad || error.kind() != Error::Kind::kWork) throw;
      log_warning("{} - left out", error.what());
      skipped.push_back({{"name", one.filename().string()}, {"why", error.what()}});
    }
    if (sequence) {
      std::span<const uint8_t> rest = sequence->patches;
      for (const PointViews& point : sequence->points) {
        std::vector<int64_t> of_patch;
        for (const auto& view : point.views)
          of_patch.push_back(std::ssize(pictures) + static_cast<int64_t>(view.first));
        const auto real = rest.first(of_patch.size() * side * side);
        rest = rest.subspan(real.size());
        if (filled) {
          std::vector<uint8_t> patches(real.begin(), real.end());
          const auto number = static_cast<uint64_t>(writer.class_count());
          fill_up_class(patches, options.features.size, options.copies,
                        RngKey(options.seed, Draw::kPhotoTour).at(number));
          writer.add_class(patches);
        } else {
          writer.add_class(real, of_patch);
        }
      }
      const std::string& name = sequence->files.name;
      for (const fs::path& picture : sequence->files.images) {
        picture_hashes.push_back(scene_of(sha256_of_file(picture)));
        pictures.push_back(name + "/" + picture.filename().string());
        picture_scenes.push_back(name);
      }
      scenes.push_back(name);
      const std::vector<RefoundKeypoint> pairs = all_of(sequence->again);
      all.insert(all.end(), pairs.begin(), pairs.end());
      sequences.push_back(describe_redetected(*sequence));
    }
    progress.add(1);
  }
  ADA_CHECK(!scenes.empty(), "[redetected] {}: no sequence is left", folder.string());
  scenes.insert(scenes.end(), picture_hashes.begin(), picture_hashes.end());  // as stores of photographs have them
  const FeatureOptions& features = options.features;
  Json meta = {{"source", "re-detected homography sequences"},
               {"scenes", scenes},
               {"pictures", pictures},
               {"picture_scenes", picture_scenes},
               {"picture_pairs", "reference"},
               {"options",
                {{"detector", features.detector},
                 {"max_keypoints", features.max_keypoints},
                 {"upright", features.upright},
                 {"region_factor", features.region_factor},
                 {"min_overlap", options.min_overlap},
                 {"max_overlap", options.max_overlap}}},
               {"noise", noise_of(all)},
               {"sequences", sequences},
               {"skipped", skipped}};
  if (filled) {
    for (const char* key : {"pictures", "picture_scenes", "picture_pairs"}) meta.erase(key);
    meta["seed"] = options.seed;
    meta["options"]["positives"] = options.copies.positives;
    meta["options"]["angle"] = options.copies.angle;
  }
  writer.finish(meta);
  return meta;
}

}  // namespace adasample
