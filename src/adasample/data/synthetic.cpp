// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/feistel.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/blob_detector.h"
#include "adasample/data/dead_leaves.h"
#include "adasample/data/patch_cutter.h"
#include "adasample/data/patch_store.h"

namespace adasample {
namespace {

constexpr const char* kSource = "synthetic dead leaves";
constexpr const char* kParts[] = {"train", "heldout"};  // the index is part of every scene's key
constexpr int kScenesPerThread = 4;                     // made before they are written: bounds the memory
constexpr int kMostBarrenScenes = 32;
constexpr double kFlattestView = 2;  // standard deviation in grey levels; below, clipping has wiped the patch out
constexpr int kBlobsPerClass = 4;    // a random choice among so many of the strongest: faint spots matter too

using PatchClass = std::vector<uint8_t>;  // (views, size, size)

uint64_t part_word(const std::string& part) {
  const auto* found = std::find(std::begin(kParts), std::end(kParts), part);
  ADA_USAGE(found != std::end(kParts), "SyntheticOptions::part = \"{}\", must be one of {}", part,
            fmt::join(kParts, ", "));
  return static_cast<uint64_t>(found - std::begin(kParts));
}

// All views of one keypoint; empty when one leaves the image, or it or the spot itself is flat.
PatchClass cut_class(const ScalePyramid& pyramid, const Blob& blob, RngKey key, const SyntheticOptions& options) {
  const int size = options.patch_size;
  const size_t area = static_cast<size_t>(size) * static_cast<size_t>(size);
  const double angle = 2 * std::numbers::pi * key.uniform();
  const Affine2 frame = patch_frame(blob.x, blob.y, options.region_factor * blob.sigma, angle, size);

  std::vector<View> views;
  for (int v = 0; v < options.views; ++v) {
    const double strength = view_strength(options.jitter, v, options.views);
    views.push_back(draw_view(key.at(static_cast<uint64_t>(v)), strength, size));
    if (!is_inside(frame * views.back().patch_from_view, size, pyramid.width(), pyramid.height())) return {};
  }
  PatchClass patches(area * views.size());
  cut(pyramid, frame, size, patches.data());
  if (standard_deviation({patches.data(), area}) < options.min_contrast) return {};
  for (size_t v = 0; v < views.size(); ++v) {
    uint8_t* patch = patches.data() + v * area;
    render_view(pyramid, frame, views[v], size, patch);
    if (standard_deviation({patch, area}) < kFlattestView) return {};
  }
  return patches;
}

// The classes of one scene.
std::vector<PatchClass> make_scene(uint64_t scene, const SyntheticOptions& options) {
  const uint64_t part = part_word(options.part);
  const ScalePyramid pyramid(dead_leaves_scene(RngKey(options.seed, Draw::kScene).at(part).at(scene)));
  const std::vector<Blob> blobs = detect_blobs(
      pyramid, {.max_count = kBlobsPerClass * options.classes_per_scene, .min_distance = options.region_factor});
  std::vector<PatchClass> classes;
  if (blobs.empty()) return classes;
  const RngKey key = RngKey(options.seed, Draw::kView).at(part).at(scene);
  const FeistelPermutation shuffled(blobs.size(), key);
  for (size_t i = 0; i < blobs.size() && classes.size() < static_cast<size_t>(options.classes_per_scene); ++i) {
    const uint64_t keypoint = shuffled.image(i);
    PatchClass patches = cut_class(pyramid, blobs[keypoint], key.at(keypoint), options);
    if (!patches.empty()) classes.push_back(std::move(patches));
  }
  return classes;
}

nlohmann::json describe(const SyntheticOptions& options, int64_t scenes) {
  return {{"source", kSource},
          {"seed", options.seed},
          {"part", options.part},
          {"first_scene", 0},
          {"scenes", scenes},
          {"options",
           {{"views", options.views},
            {"jitter", to_string(options.jitter)},
            {"classes_per_scene", options.classes_per_scene},
            {"region_factor", options.region_factor},
            {"min_contrast", options.min_contrast}}}};
}

}  // namespace

void SyntheticOptions::validate() const {
  ADA_USAGE(classes >= 1, "SyntheticOptions::classes = {}, must be >= 1", classes);
  ADA_USAGE(views >= 2 && views <= 4096, "SyntheticOptions::views = {}, must be 2 to 4096", views);
  ADA_USAGE(patch_size >= 8 && patch_size <= 256, "SyntheticOptions::patch_size = {}, must be 8 to 256", patch_size);
  ADA_USAGE(classes_per_scene >= 1 && classes_per_scene <= 10000,
            "SyntheticOptions::classes_per_scene = {}, must be 1 to 10000", classes_per_scene);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "SyntheticOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 60, "SyntheticOptions::min_contrast = {}, must be 0 to 60",
            min_contrast);
  part_word(part);
}

void make_synthetic_store(const SyntheticOptions& options, const std::filesystem::path& out) {
  options.validate();
  PatchStoreWriter writer(out, options.patch_size);
  Progress progress("synth", "patches", options.classes * options.views);
  int64_t scenes = 0, barren = 0;
  while (writer.class_count() < options.classes) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[synth] interrupted; nothing was written");
    // A block of scenes side by side, then written in order: the store does not show how many threads there were.
    const int64_t missing = options.classes - writer.class_count();
    const int64_t most_needed = (missing + options.classes_per_scene - 1) / options.classes_per_scene;
    std::vector<std::vector<PatchClass>> block(
        static_cast<size_t>(std::min<int64_t>(most_needed, kScenesPerThread * thread_count())));
    parallel_for(static_cast<int64_t>(block.size()), [&](int64_t i) {
      block[static_cast<size_t>(i)] = make_scene(static_cast<uint64_t>(scenes + i), options);
    });
    for (const std::vector<PatchClass>& classes : block) {
      if (writer.class_count() == options.classes) break;
      ++scenes;
      barren = classes.empty() ? barren + 1 : 0;
      ADA_CHECK(barren < kMostBarrenScenes,
                "[synth] {} scenes in a row without a usable keypoint - "
                "lower region_factor or min_contrast",
                barren);
      for (const PatchClass& patches : classes) {
        if (writer.class_count() == options.classes) break;
        writer.add_class(patches);
        progress.add(options.views);
      }
    }
  }
  writer.finish(describe(options, scenes));
}

bool share_scenes(const nlohmann::json& meta_a, const nlohmann::json& meta_b) {
  const auto same = [&](const char* key) {
    return meta_a.value(key, nlohmann::json()) == meta_b.value(key, nlohmann::json());
  };
  if (meta_a.contains("sha256") && same("sha256")) return true;  // the same store, whatever its source
  return meta_a.value("source", nlohmann::json()) == kSource && same("source") && same("seed") && same("part");
}

}  // namespace adasample
