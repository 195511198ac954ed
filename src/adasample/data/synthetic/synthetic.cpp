// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/random/feistel.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/views/redetected_views.h"
#include "adasample/data/views/view_class.h"
#include "adasample/features/detect/blob_detector.h"
#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/scenes/dead_leaves.h"

namespace adasample {
namespace {

constexpr const char* kSource = "synthetic dead leaves";
constexpr const char* kParts[] = {"train", "heldout"};  // the index is part of every scene's key
constexpr int kScenesPerThread = 4;                     // made before they are written: bounds the memory
constexpr int kMostBarrenScenes = 32;
constexpr double kContrast = 0.015;  // of a detector's keypoints: as faint as those that pay on photographs
constexpr int kBlobsPerClass = 4;    // a random choice among so many of the strongest: faint spots matter too

uint64_t part_word(const std::string& part) {
  const auto* found = std::find(std::begin(kParts), std::end(kParts), part);
  ADA_USAGE(found != std::end(kParts), "SyntheticOptions::part = \"{}\", must be one of {}", part,
            fmt::join(kParts, ", "));
  return static_cast<uint64_t>(found - std::begin(kParts));
}

// Difference of Gaussians, ours: bytes of a store must not depend on OpenCV's version.
FeatureOptions detector_options(const SyntheticOptions& options, bool in_views) {
  FeatureOptions detector{.detector = "dog", .min_contrast = kContrast, .min_sigma = 1.6, .max_overlap = 0.3};
  detector.region_factor = options.cut.region_factor;
  if (in_views) detector.max_overlap = 1;  // one that overlaps a stronger one may be the one wanted
  return detector;
}

// Keypoints of a detector and where it found them again.
std::vector<GradedClass> redetect_scene(const ScalePyramid& pyramid, RngKey key, const SyntheticOptions& options) {
  const std::vector<Keypoint> keypoints =
      make_keypoint_detector(detector_options(options, /*in_views=*/false))->detect(pyramid);
  std::vector<GradedClass> classes;
  if (keypoints.empty()) return classes;
  std::vector<GradedClass> all =
      redetect_classes(pyramid, keypoints, key, options.cut,
                       *make_keypoint_detector(detector_options(options, /*in_views=*/true)), options.redetect);
  const FeistelPermutation shuffled(keypoints.size(), key);
  for (size_t i = 0; i < keypoints.size() && classes.size() < static_cast<size_t>(options.classes_per_scene); ++i) {
    GradedClass& one = all[shuffled.image(i)];
    if (!one.patches.empty()) classes.push_back(std::move(one));
  }
  return classes;
}

// The classes of one scene.
std::vector<GradedClass> make_scene(uint64_t scene, const SyntheticOptions& options) {
  const uint64_t part = part_word(options.part);
  const ScalePyramid pyramid(dead_leaves_scene(RngKey(options.seed, Draw::kScene).at(part).at(scene)));
  const RngKey key = RngKey(options.seed, Draw::kView).at(part).at(scene);
  if (options.redetect.on) return redetect_scene(pyramid, key, options);
  const std::vector<Keypoint> blobs = detect_blobs(
      pyramid, {.max_count = kBlobsPerClass * options.classes_per_scene, .min_distance = options.cut.region_factor});
  std::vector<GradedClass> classes;
  if (blobs.empty()) return classes;
  const FeistelPermutation shuffled(blobs.size(), key);
  for (size_t i = 0; i < blobs.size() && classes.size() < static_cast<size_t>(options.classes_per_scene); ++i) {
    const uint64_t chosen = shuffled.image(i);
    Keypoint blob = blobs[chosen];
    const RngKey class_key = key.at(chosen);
    blob.angle = 2 * std::numbers::pi * class_key.uniform();  // a dead leaf has no way up
    PatchClass patches = cut_view_class(pyramid, blob, class_key, options.cut);
    if (!patches.empty()) classes.push_back({std::move(patches), view_strengths(options.cut)});
  }
  return classes;
}

nlohmann::json describe(const SyntheticOptions& options, int64_t scenes) {
  nlohmann::json details = options.cut.describe();
  details["classes_per_scene"] = options.classes_per_scene;
  if (options.redetect.on) details["redetect"] = options.redetect.describe();
  return {{"source", kSource}, {"seed", options.seed}, {"part", options.part},
          {"first_scene", 0},  {"scenes", scenes},     {"options", details}};
}

}  // namespace

void SyntheticOptions::validate() const {
  ADA_USAGE(classes >= 1, "SyntheticOptions::classes = {}, must be >= 1", classes);
  cut.validate();
  redetect.validate();
  ADA_USAGE(classes_per_scene >= 1 && classes_per_scene <= 10000,
            "SyntheticOptions::classes_per_scene = {}, must be 1 to 10000", classes_per_scene);
  part_word(part);
}

void make_synthetic_store(const SyntheticOptions& options, const std::filesystem::path& out) {
  options.validate();
  PatchStoreWriter writer(out, options.cut.patch_size);
  Progress progress("synth", "classes", options.classes);
  int64_t scenes = 0, barren = 0;
  while (writer.class_count() < options.classes) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[synth] interrupted; nothing was written");
    // A block of scenes side by side, then written in order: the store does not show how many threads there were.
    const int64_t missing = options.classes - writer.class_count();
    const int64_t most_needed = (missing + options.classes_per_scene - 1) / options.classes_per_scene;
    std::vector<std::vector<GradedClass>> block(
        static_cast<size_t>(std::min<int64_t>(most_needed, kScenesPerThread * thread_count())));
    parallel_for(static_cast<int64_t>(block.size()), [&](int64_t i) {
      block[static_cast<size_t>(i)] = make_scene(static_cast<uint64_t>(scenes + i), options);
    });
    for (const std::vector<GradedClass>& classes : block) {
      if (writer.class_count() == options.classes) break;
      ++scenes;
      barren = classes.empty() ? barren + 1 : 0;
      ADA_CHECK(barren < kMostBarrenScenes,
                "[synth] {} scenes in a row without a usable keypoint - "
                "lower region_factor or min_contrast",
                barren);
      for (const GradedClass& one : classes) {
        if (writer.class_count() == options.classes) break;
        writer.add_class(one.patches, one.strengths);
        progress.add(1);
      }
    }
  }
  writer.finish(describe(options, scenes));
}

}  // namespace adasample
