// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_classes.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/inside_folder.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/provenance.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr size_t kMostNamed = 5;  // missing photographs in a message

// One patch to cut: where it is seen, where it goes.
struct Cut {
  const Keypoint* keypoint;
  uint8_t* patch;
};

std::set<size_t> images_of(const std::vector<ColmapTrack>& tracks) {
  std::set<size_t> images;
  for (const ColmapTrack& track : tracks) {
    for (const ColmapView& view : track.views) images.insert(view.image);
  }
  return images;
}

void check_photographs(const ColmapModel& model, const std::set<size_t>& images, const fs::path& folder) {
  std::vector<std::string> missing;
  for (const size_t i : images) {
    std::error_code error;
    if (!fs::exists(path_inside(folder, model.images[i].name, "colmap"), error))
      missing.push_back(model.images[i].name);
  }
  const size_t named = std::min(missing.size(), kMostNamed);
  ADA_CHECK(missing.empty(), "[colmap] {}: {} of {} photographs of the model are missing: {}{}", folder.string(),
            missing.size(), images.size(),
            fmt::join(missing.begin(), missing.begin() + static_cast<ptrdiff_t>(named), ", "),
            missing.size() > named ? ", .." : "");
}

GrayImage read_photograph(const ColmapModel& model, const ColmapImage& image, const ColmapSources& sources) {
  const fs::path path = path_inside(sources.images, image.name, "colmap");
  GrayImage picture = read_image(path, PixelOrder::kAsStored);  // so COLMAP saw it
  const ColmapCamera& camera = model.camera(image.camera);
  ADA_CHECK(picture.width == camera.width && picture.height == camera.height,
            "[colmap] {}: expected {} x {} pixels as the model's camera {} has, found {} x {} - give the photographs "
            "the model was made from",
            path.string(), camera.width, camera.height, camera.id, picture.width, picture.height);
  return picture;
}

class StoreMaker {
 public:
  StoreMaker(const ColmapModel& model, const ColmapSources& sources, const ColmapOptions& options, const fs::path& out)
      : model_(model),
        sources_(sources),
        options_(options),
        side_(cut_size(options.patch_size, options.copies)),
        area_(static_cast<size_t>(side_) * static_cast<size_t>(side_)),
        writer_(out, options.patch_size) {}

  // Tracks until the block is full, one at least.
  size_t block_size(std::span<const ColmapTrack> tracks) const {
    size_t n = 0, bytes = 0;
    while (n < tracks.size() && (n == 0 || bytes < static_cast<size_t>(options_.block_bytes))) {
      bytes += tracks[n++].views.size() * area_;
    }
    return n;
  }

  // Cuts and writes a block of classes, photograph by photograph, then class by class.
  void add(std::span<const ColmapTrack> block, Progress& progress) {
    size_t count = 0;
    for (const ColmapTrack& track : block) count += track.views.size();
    patches_.assign(count * area_, 0);
    std::vector<std::vector<Cut>> cuts(model_.images.size());
    uint8_t* next = patches_.data();
    for (const ColmapTrack& track : block) {
      for (const ColmapView& view : track.views) {
        cuts[view.image].push_back({&view.keypoint, next});
        next += area_;
      }
    }
    parallel_for(static_cast<int64_t>(cuts.size()), [&](int64_t i) {
      const auto& wanted = cuts[static_cast<size_t>(i)];
      if (wanted.empty()) return;
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[colmap] interrupted; nothing was written");
      const ScalePyramid pyramid(read_photograph(model_, model_.images[static_cast<size_t>(i)], sources_));
      for (const Cut& c : wanted) {
        cut(pyramid, keypoint_frame(*c.keypoint, options_.region, side_), side_, c.patch);
      }
      progress.add(std::ssize(wanted));
    });
    write(block);
  }

  void finish(const nlohmann::json& meta) { writer_.finish(meta); }
  int64_t class_count() const { return writer_.class_count(); }
  int64_t real_patches() const { return real_; }

  // Names of those some patch of which was written, by image id.
  std::vector<std::string> photographs() const {
    std::vector<std::string> names;
    for (const int64_t i : images_) names.push_back(model_.images[static_cast<size_t>(i)].name);
    return names;
  }

 private:
  void write(std::span<const ColmapTrack> block) {
    const uint8_t* patch = patches_.data();
    for (const ColmapTrack& track : block) {
      std::vector<uint8_t> patches;
      std::vector<int64_t> images;
      for (const ColmapView& view : track.views) {
        if (standard_deviation({patch, area_}) >= options_.min_contrast) {
          patches.insert(patches.end(), patch, patch + area_);
          images.push_back(static_cast<int64_t>(view.image));
        }
        patch += area_;
      }
      if (images.size() < 2) continue;
      real_ += std::ssize(images);
      if (options_.copies.positives > 0) {
        const RngKey key = RngKey(options_.seed, Draw::kPhotoTour).at(track.point->id);
        fill_up_class(patches, options_.patch_size, options_.copies, key);
        writer_.add_class(patches);
      } else {
        writer_.add_class(patches, images);
      }
      images_.insert(images.begin(), images.end());
    }
  }

  const ColmapModel& model_;
  const ColmapSources& sources_;
  const ColmapOptions& options_;
  const int side_;  // of the patches as they are cut
  const size_t area_;
  int64_t real_ = 0;  // patches written that are no copies
  PatchStoreWriter writer_;
  std::vector<uint8_t> patches_;  // (views of the block, size, size)
  std::set<int64_t> images_;
};

std::vector<std::string> scenes_of(const std::vector<std::string>& photographs, const fs::path& folder) {
  std::vector<std::string> scenes(photographs.size());
  parallel_for(std::ssize(scenes), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    scenes[at] = scene_of(sha256_of_file(folder / photographs[at]));
  });
  return scenes;
}

nlohmann::json describe(const ColmapModel& model, const ColmapOptions& options, const ColmapTally& tally,
                        const std::vector<std::string>& photographs, const std::vector<std::string>& scenes,
                        int64_t real_patches) {
  std::vector<std::string> pictures;  // of the whole model: patches know theirs by its number there
  for (const ColmapImage& image : model.images) pictures.push_back(image.name);
  nlohmann::json meta = {{"source", "COLMAP model"},
                         {"seed", options.seed},
                         {"photographs", photographs},
                         {"scenes", scenes},
                         {"pictures", pictures},
                         {"picture_scenes", std::vector<std::string>(pictures.size(), options.scene)},
                         {"model",
                          {{"form", model.form},
                           {"sha256", model.sha256},
                           {"cameras", model.cameras.size()},
                           {"images", model.images.size()},
                           {"points", model.points.size()},
                           {"observations", model.observation_count()}}},
                         {"points_dropped",
                          {{"short_track", tally.short_track},
                           {"large_error", tally.large_error},
                           {"small_angle", tally.small_angle},
                           {"held_out", tally.held_out},
                           {"out_of_image", tally.out_of_image},
                           {"same_spot", tally.same_spot},
                           {"flat", tally.flat}}},
                         {"options",
                          {{"min_track", options.min_track},
                           {"min_angle", options.min_angle},
                           {"max_error", options.max_error},
                           {"max_views", options.max_views},
                           {"region", options.region},
                           {"max_overlap", options.max_overlap},
                           {"sigma", options.sigma},
                           {"min_contrast", options.min_contrast},
                           {"scene", options.scene},
                           {"holdout", options.holdout}}}};
  if (options.copies.positives > 0) {
    meta.erase("pictures");
    meta.erase("picture_scenes");
    meta["options"]["positives"] = options.copies.positives;
    meta["options"]["angle"] = options.copies.angle;
    meta["real_patches"] = real_patches;
  }
  return meta;
}

}  // namespace

std::string scene_of_model(const fs::path& model) {
  static const std::set<std::string> own = {"",      ".",      "..",  "/",    "sparse", "dense",
                                            "model", "models", "txt", "text", "bin"};
  for (fs::path path = fs::absolute(model).lexically_normal(); path.has_relative_path(); path = path.parent_path()) {
    const std::string name = path.filename().string();
    const bool number = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!number && !own.contains(name)) return name;
  }
  return "scene";
}

ColmapTally make_colmap_store(const ColmapModel& model, const ColmapSources& sources, const ColmapOptions& options,
                              const fs::path& out) {
  options.validate();
  StoreMaker maker(model, sources, options, out);
  ColmapTally tally;
  std::vector<ColmapTrack> tracks = select_tracks(model, options, tally);
  check_photographs(model, images_of(tracks), sources.images);
  locate_tracks(model, sources.keypoints, options, tracks, tally);
  drop_same_spots(model, options, tracks, tally);
  choose_views(model, options, tracks);

  int64_t views = 0;
  for (const ColmapTrack& track : tracks) views += std::ssize(track.views);
  Progress progress("colmap", "patches", views);
  for (std::span<const ColmapTrack> rest = tracks; !rest.empty();) {
    const size_t n = maker.block_size(rest);
    maker.add(rest.first(n), progress);
    rest = rest.subspan(n);
  }
  tally.classes = maker.class_count();
  tally.flat = std::ssize(tracks) - tally.classes;
  ADA_CHECK(
      tally.classes > 0,
      "[colmap] no class: of {} points {} have a track below {}, {} an error above {}, {} no angle of {} degrees, "
      "{} are held out, {} leave the photographs, {} are flat",
      tally.points, tally.short_track, options.min_track, tally.large_error, options.max_error, tally.small_angle,
      options.min_angle, tally.held_out, tally.out_of_image, tally.flat);
  const std::vector<std::string> photographs = maker.photographs();
  maker.finish(
      describe(model, options, tally, photographs, scenes_of(photographs, sources.images), maker.real_patches()));
  return tally;
}

}  // namespace adasample
