// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap_export.h"

#include <map>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/data/photographs.h"
#include "adasample/integrate/colmap_camera.h"
#include "adasample/integrate/images.h"
#include "adasample/integrate/keypoint_detector.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr double kContrast = 0.02;  // COLMAP's peak threshold, 0.02 / 3 a layer
constexpr double kLeastSigma = 0.1;
constexpr int kMostOrientations = 2;  // of a place; COLMAP's max_num_orientations
constexpr int kMostAtAPlace = 4;      // that OpenCV may give: peaks of 36 directions above 0.8 of the highest

FeatureOptions feature_options(const ColmapExportOptions& options) {
  FeatureOptions features{
      .max_keypoints = options.max_keypoints, .upright = options.upright, .region_factor = options.region_factor};
  if (options.detector != kSiftDetector) features.detector = options.detector;
  return features;
}

// The photograph as it is looked at; `reduction` times smaller than its file.
struct Picture {
  Picture(const fs::path& path, int max_side) : Picture(read_image_as_stored(path), max_side) {}

  int width, height;  // of the file
  double reduction;
  ScalePyramid pyramid;

  // A keypoint of the file's pixels as one of the pyramid's, or back.
  static Keypoint scaled(Keypoint k, double factor) {
    k.x *= factor;
    k.y *= factor;
    k.sigma *= factor;
    return k;
  }

 private:
  Picture(const GrayImage& image, int max_side) : Picture(image.width, image.height, reduce_to(image, max_side)) {}
  Picture(int w, int h, ReducedImage reduced)
      : width(w), height(h), reduction(reduced.reduction), pyramid(std::move(reduced.image)) {}
};

bool same_place(const Keypoint& a, const Keypoint& b) { return a.x == b.x && a.y == b.y && a.sigma == b.sigma; }

// OpenCV's, with the limits of COLMAP's own extractor: places are counted, each with two orientations at most.
std::vector<Keypoint> find_sift(const GrayImage& image, const ColmapExportOptions& options) {
  const KeypointOptions limits{.min_contrast = kContrast,
                               .min_sigma = kLeastSigma,
                               .max_overlap = 1,
                               .max_count = kMostAtAPlace * options.max_keypoints};
  std::vector<Keypoint> kept;
  int places = 0, here = 0;
  for (Keypoint k : detect_keypoints(image, limits)) {  // those of a place one after another
    here = !kept.empty() && same_place(kept.back(), k) ? here + 1 : 1;
    if (here == 1 && ++places > options.max_keypoints) break;
    if (options.upright) k.angle = 0;
    if (here <= (options.upright ? 1 : kMostOrientations)) kept.push_back(k);
  }
  return kept;
}

// In the pyramid's pixels.
std::vector<Keypoint> find(const Picture& picture, const ColmapExportOptions& options) {
  if (options.detector == kSiftDetector) return find_sift(picture.pyramid.level(0, 0).image, options);
  return find_keypoints(picture.pyramid, feature_options(options));
}

// Describes and writes, photograph by photograph; only one is in memory.
class Export {
 public:
  Export(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor, const ColmapExportOptions& options)
      : folder_(folder), writer_(writer), descriptor_(descriptor), options_(options) {
    options.validate();
    ADA_USAGE(descriptor.dimension() == kDescriptorSize, "COLMAP takes descriptors of {} numbers, {} has {}",
              kDescriptorSize, descriptor.name(), descriptor.dimension());
  }

  Picture open(const std::string& name) const {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[colmap] interrupted; the database is as it was");
    return {folder_ / name, options_.max_side};
  }

  void describe(int64_t image, const Picture& picture, std::span<const Keypoint> keypoints, Progress& progress) {
    const std::vector<float> rows = describe_keypoints(picture.pyramid, keypoints, descriptor_,
                                                       feature_options(options_), progress, report.seconds_describing);
    writer_.set_descriptors(image, colmap_descriptors(rows, options_.encoding));
    ++report.images;
    report.keypoints += std::ssize(keypoints);
  }

  // The camera of a photograph that the database does not have.
  int64_t camera_of(const std::string& name, const Picture& picture) {
    const FirstCamera first = first_camera(colmap_camera_model(options_.camera_model), picture.width, picture.height,
                                           read_exif(folder_ / name));
    const std::string key = options_.single_camera ? "all" : first.key;
    if (const auto known = cameras_.find(key); !key.empty() && known != cameras_.end()) {
      const auto& [id, camera] = known->second;
      ADA_CHECK(camera.width == picture.width && camera.height == picture.height,
                "[colmap] {}: {} x {} pixels, others have {} x {} - leave --single-camera out", name, picture.width,
                picture.height, camera.width, camera.height);
      return id;
    }
    const int64_t id = writer_.add_camera(first.camera, first.focal_known);
    if (!key.empty()) cameras_[key] = {id, first.camera};
    ++report.cameras;
    return id;
  }

  void check_size(const ColmapEntry& image, const Picture& picture) const {
    ADA_CHECK(image.width == picture.width && image.height == picture.height,
              "[colmap] {}: {} x {} pixels, its camera in the database has {} x {}", (folder_ / image.name).string(),
              picture.width, picture.height, image.width, image.height);
  }

  ColmapExportReport report;

 private:
  const fs::path& folder_;
  ColmapWriter& writer_;
  Descriptor& descriptor_;
  const ColmapExportOptions& options_;
  std::map<std::string, std::pair<int64_t, ColmapCamera>> cameras_;  // by key
};

}  // namespace

void ColmapExportOptions::validate() const {
  feature_options(*this).validate();
  ADA_USAGE(max_side >= 64, "ColmapExportOptions::max_side = {}, must be >= 64", max_side);
  ADA_USAGE(sigma >= 0 && sigma <= 1000, "ColmapExportOptions::sigma = {}, must be 0 to 1000", sigma);
  colmap_camera_model(camera_model);
}

ColmapExportReport export_to_colmap(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                    const ColmapExportOptions& options) {
  Export work(folder, writer, descriptor, options);
  std::map<std::string, ColmapEntry> present;
  for (const ColmapEntry& image : writer.images()) present[image.name] = image;
  std::vector<std::string> names;
  for (const fs::path& path : list_images(folder)) {
    names.push_back(path.lexically_relative(folder).generic_string());
    const auto found = present.find(names.back());
    ADA_CHECK(
        found == present.end() || !found->second.described,
        "[colmap] {}: the database has features of it - --redescribe replaces the descriptors, or write a new one",
        names.back());
  }
  Progress progress("describing", "keypoints", std::ssize(names) * options.max_keypoints);  // at most, or so
  for (const std::string& name : names) {
    const Picture picture = work.open(name);
    std::vector<Keypoint> keypoints = find(picture, options);
    const auto found = present.find(name);
    if (found != present.end()) work.check_size(found->second, picture);
    const int64_t id =
        found != present.end() ? found->second.id : writer.add_image(name, work.camera_of(name, picture));
    work.describe(id, picture, keypoints, progress);
    progress.add(options.max_keypoints - std::ssize(keypoints));
    for (Keypoint& k : keypoints) k = Picture::scaled(k, picture.reduction);
    writer.set_keypoints(id, keypoints);
  }
  writer.commit();
  return work.report;
}

ColmapExportReport redescribe_for_colmap(const fs::path& folder, ColmapWriter& writer, Descriptor& descriptor,
                                         const ColmapExportOptions& options) {
  Export work(folder, writer, descriptor, options);
  const std::vector<ColmapEntry> images = writer.images();
  ADA_CHECK(!images.empty(), "[colmap] expected images with keypoints to describe, found an empty database");
  work.report.cleared_matches = writer.match_count();
  ADA_CHECK(work.report.cleared_matches == 0 || options.clear_matches,
            "[colmap] {} pairs of images are matched by the descriptors to be replaced - --clear-matches drops them, "
            "then run the matcher again",
            work.report.cleared_matches);
  writer.clear_matches();
  int64_t total = 0;
  for (const ColmapEntry& image : images) total += image.keypoints;
  Progress progress("describing", "keypoints", total);
  for (const ColmapEntry& image : images) {
    std::vector<Keypoint> keypoints = writer.keypoints(image);
    const Picture picture = work.open(image.name);
    work.check_size(image, picture);
    for (Keypoint& k : keypoints) {
      if (k.sigma == 0) k.sigma = options.sigma;
      ADA_CHECK(k.sigma > 0, "[colmap] {}: the database has places of keypoints only - give their scale by --sigma",
                image.name);
      k = Picture::scaled(k, 1 / picture.reduction);
    }
    work.describe(image.id, picture, keypoints, progress);
  }
  writer.commit();
  return work.report;
}

}  // namespace adasample
