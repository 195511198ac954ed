// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/tours/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/random/feistel.h"
#include "adasample/base/random/rng.h"
#include "adasample/data/views/redetected_views.h"
#include "adasample/data/phototour/phototour_writer.h"
#include "adasample/data/sequences/sequences.h"
#include "adasample/data/views/picture_view.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/png.h"
#include "adasample/image/scenes/dead_leaves.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 640, kHeight = 480, kLeaves = 4400;  // of a procedural scene, pixels
constexpr int kMostSide = 1200;                             // of a photograph
constexpr int kLeastViews = 3, kMostViews = 9;              // photographs of a scene, the first one included
constexpr int kPointsPerScene = 150;                        // at most
constexpr int64_t kIdsPerScene = 10000;                     // a point is named by its scene and its keypoint: with gaps
constexpr int kScenesPerThread = 2;
constexpr int kMostBarren = 64;  // scenes in a row without a point

// Which scenes belong to whom, below one seed: sites 0 to 2, then the sequences to train on and to test on.
enum Part : uint64_t { kFirstSite = 0, kTrainSequences = kTourSites, kTestSequences, kParts };

// The scenes of a part, as many as there are.
class Scenes {
 public:
  Scenes(uint64_t part, uint64_t seed, const fs::path& photographs) : part_(part), seed_(seed) {
    if (photographs.empty()) return;
    const std::vector<fs::path> all = list_images(photographs);
    for (size_t i = part; i < all.size(); i += kParts) files_.push_back(all[i]);
    ADA_CHECK(!files_.empty(), "[tour] {}: expected at least {} photographs, one for each part, found {}",
              photographs.string(), static_cast<int>(kParts), all.size());
    photographs_ = true;
  }

  // Whether there is a scene of this number.
  bool has(uint64_t scene) const { return !photographs_ || scene < files_.size(); }
  RngKey key(uint64_t scene) const { return RngKey(seed_, Draw::kTour).at(1).at(part_).at(scene); }

  GrayImage picture(uint64_t scene) const {
    if (photographs_) return reduce_to(read_image(files_[scene]), kMostSide).image;
    return dead_leaves_scene(key(scene).at(0), {.width = kWidth, .height = kHeight, .leaves = kLeaves});
  }

 private:
  uint64_t part_, seed_;
  std::vector<fs::path> files_;
  bool photographs_ = false;
};

struct TourScene {
  struct Point {
    int64_t id = 0;
    GradedClass patches;
  };
  std::vector<Point> points;
  int views = 0;
};

// As little warped as detectors leave patches, and the world between the photographs.
Difficulty tour_difficulty() { return parse_difficulty("real"); }

TourScene photograph_scene(const Scenes& scenes, uint64_t scene, const KeypointDetector& detector) {
  const RngKey key = scenes.key(scene);
  ViewClassOptions options{.patch_size = kPhotoTourPatch, .difficulty = tour_difficulty(), .jpeg = true};
  TourScene result;
  result.views = options.views = kLeastViews + static_cast<int>(key.at(1).bits() % (kMostViews - kLeastViews + 1));
  const ScalePyramid picture(scenes.picture(scene));
  std::vector<Keypoint> keypoints = detector.detect(picture);
  if (keypoints.empty()) return result;
  std::vector<GradedClass> classes =
      redetect_classes(picture, keypoints, key.at(2), options, detector, {.on = true, .max_turn = 30});
  const FeistelPermutation shuffled(classes.size(), key.at(3));  // faint points matter too
  for (size_t i = 0; i < classes.size() && result.points.size() < kPointsPerScene; ++i) {
    const uint64_t chosen = shuffled.image(i);
    if (classes[chosen].views.empty() || chosen >= kIdsPerScene) continue;
    result.points.push_back({static_cast<int64_t>(chosen), std::move(classes[chosen])});
  }
  std::sort(result.points.begin(), result.points.end(),
            [](const TourScene::Point& a, const TourScene::Point& b) { return a.id < b.id; });
  return result;
}

std::unique_ptr<KeypointDetector> tour_detector() {
  return make_keypoint_detector({.detector = "dog", .max_keypoints = 800, .min_sigma = 1.6, .max_overlap = 0.3});
}

void stop_if_asked() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[tour] interrupted; nothing was written");
}

std::string homography_text(const Homography& h) {
  const auto& m = h.entries();
  return fmt::format("{:.17g} {:.17g} {:.17g}\n{:.17g} {:.17g} {:.17g}\n{:.17g} {:.17g} {:.17g}\n", m[0], m[1], m[2],
                     m[3], m[4], m[5], m[6], m[7], m[8]);
}

// Six pictures of a plane: in another light, or from elsewhere.
void write_sequence(const Scenes& scenes, uint64_t scene, bool viewpoint, const fs::path& folder) {
  fs::create_directories(folder);
  const GrayImage reference = scenes.picture(scene);
  const ScalePyramid picture(reference);
  write_png(folder / "1.png", reference);
  Difficulty difficulty;  // the usual: no surface in front, nothing in the way
  if (!viewpoint) {
    difficulty.set(Hardness::kWarp, 0);
    difficulty.set(Hardness::kShadow, 1);
    difficulty.set(Hardness::kLight, 1.5);
    difficulty.set(Hardness::kContrast, 1.5);
  }
  for (int target = 2; target <= kMostSequenceImages; ++target) {
    const double strength = 0.2 * (target - 1);
    const PictureView view = draw_picture_view(scenes.key(scene).at(2), target, strength, reference.width,
                                               reference.height, difficulty, /*jpeg=*/true);
    write_png(folder / fmt::format("{}.png", target), render_picture_view(picture, view));
    write_file_atomically(homography_file(folder, target), homography_text(view.picture_from_view.inverse()));
  }
}

}  // namespace

void TourOptions::validate() const {
  ADA_USAGE(site >= 0 && site < kTourSites, "TourOptions::site = {}, must be 0 to {}", site, kTourSites - 1);
  ADA_USAGE(points >= 2 && points <= 10'000'000, "TourOptions::points = {}, must be 2 to 10000000", points);
}

void make_tour(const TourOptions& options, const fs::path& out) {
  options.validate();
  const Scenes scenes(kFirstSite + static_cast<uint64_t>(options.site), options.seed, options.photographs);
  const auto detector = tour_detector();
  PhotoTourWriter writer(out);
  Progress progress(out.filename().string(), "points", options.points);
  int64_t points = 0, pictures = 0;
  uint64_t next = 0;
  int barren = 0;
  while (points < options.points && scenes.has(next)) {
    stop_if_asked();
    // A block of scenes side by side, written in order.
    const int64_t wanted = (options.points - points + kPointsPerScene - 1) / kPointsPerScene;
    int64_t count = std::min<int64_t>(wanted, kScenesPerThread * thread_count());
    while (count > 0 && !scenes.has(next + static_cast<uint64_t>(count) - 1)) --count;
    std::vector<TourScene> block(static_cast<size_t>(count));
    parallel_for(count, [&](int64_t i) {
      block[static_cast<size_t>(i)] = photograph_scene(scenes, next + static_cast<uint64_t>(i), *detector);
    });
    for (size_t s = 0; s < block.size(); ++s) {
      const int64_t first = static_cast<int64_t>(next + s) * kIdsPerScene;
      for (const TourScene::Point& point : block[s].points) {
        if (points == options.points) break;
        constexpr size_t kBytes = size_t{kPhotoTourPatch} * kPhotoTourPatch;
        for (size_t v = 0; v < point.patches.views.size(); ++v)
          writer.add(std::span(point.patches.patches).subspan(v * kBytes, kBytes), first + point.id,
                     pictures + point.patches.views[v]);
        ++points;
        progress.add(1);
      }
      pictures += block[s].views;
      barren = block[s].points.empty() ? barren + 1 : 0;
      ADA_CHECK(barren < kMostBarren, "[tour] {} scenes in a row without a point that was found again", barren);
    }
    next += static_cast<uint64_t>(count);
  }
  ADA_CHECK(points > 1, "[tour] site {}: no points were found again in its {} scenes", options.site, next);
  writer.finish(options.seed);
}

void TourSequenceOptions::validate() const {
  ADA_USAGE(sequences >= 2 && sequences <= 1000, "TourSequenceOptions::sequences = {}, must be 2 to 1000", sequences);
  ADA_USAGE(max_patches >= 2 && max_patches <= 100000, "TourSequenceOptions::max_patches = {}, must be 2 to 100000",
            max_patches);
}

void make_tour_sequences(const TourSequenceOptions& options, const fs::path& out) {
  options.validate();
  refuse_existing(out);
  const Scenes scenes(options.test ? kTestSequences : kTrainSequences, options.seed, options.photographs);
  StagedFolder pictures(fs::path(out.string() + "-pictures"));
  std::vector<std::pair<uint64_t, fs::path>> wanted;
  for (uint64_t i = 0; i < static_cast<uint64_t>(options.sequences) && scenes.has(i); ++i) {
    wanted.emplace_back(
        i, pictures.work() / fmt::format("{}_{}{:02}", i % 2 == 0 ? "i" : "v", options.test ? "test" : "train", i / 2));
  }
  parallel_for(std::ssize(wanted), [&](int64_t i) {
    stop_if_asked();
    const auto& [scene, folder] = wanted[static_cast<size_t>(i)];
    write_sequence(scenes, scene, /*viewpoint=*/scene % 2 == 1, folder);
  });
  make_sequences(pictures.work(), {.max_patches = options.max_patches, .seed = options.seed}, out);
}  // the pictures were needed for the patches only

}  // namespace adasample
