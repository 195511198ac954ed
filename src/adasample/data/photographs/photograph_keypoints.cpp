// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/photographs/photograph_keypoints.h"

#include <algorithm>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/files/inside_folder.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/features/opencv_part.h"
#include "adasample/features/regions/region_overlap.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int kMostInViews = 100'000;

}  // namespace

PhotographKeypoints::PhotographKeypoints(const fs::path& folder, const PhotographOptions& options)
    : options_(options.keypoints) {
  options_.validate();
  if (!options.list.empty()) {
    read_list(folder, options.list);
  } else {
    files_ = picture_names(folder);
    detector_ = make_keypoint_detector(options_);
    FeatureOptions in_views = options_;
    in_views.max_overlap = 1;
    in_views.max_keypoints = std::min(kMostInViews, 2 * options_.max_keypoints);
    view_detector_ = make_keypoint_detector(in_views);
  }
  prepare_opencv_for(folder, files_);
}

void PhotographKeypoints::read_list(const fs::path& folder, const fs::path& file) {
  KeypointList list = read_keypoint_list(file);
  for (auto& [name, keypoints] : list) {
    if (!is_inner_name(name)) {
      missing_.push_back({name, fmt::format("named in {}, leads out of {}", file.string(), folder.string())});
      continue;
    }
    const std::string pgm = fs::path(name).replace_extension(".pgm").string();
    const bool there = fs::exists(folder / name);
    if (there || fs::exists(folder / pgm)) {
      path_inside(folder, there ? name : pgm, "images");
      listed_.emplace(there ? name : pgm, std::move(keypoints));
    } else {
      missing_.push_back({name, fmt::format("named in {}, but not in {}", file.string(), folder.string())});
    }
  }
  ADA_CHECK(!list.empty(), "[images] {}: no keypoint in it", file.string());
  ADA_CHECK(!listed_.empty(), "[images] {}: none of the {} pictures it names is in {}", file.string(), list.size(),
            folder.string());
  for (const auto& [name, keypoints] : listed_) files_.push_back(name);
}

std::vector<Keypoint> PhotographKeypoints::of(const std::string& file, const ScalePyramid& picture,
                                              double reduction) const {
  if (detector_) return detector_->detect(picture);
  const std::vector<Keypoint> all = place_keypoints(listed_.at(file), file, picture.level(0, 0).image, reduction);
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Keypoint> kept;
  for (const size_t i : suppress_overlaps(all, order, options_.region_factor, options_.max_overlap)) {
    kept.push_back(all[i]);
  }
  return kept;
}

FoundKeypoints find_photograph_keypoints(const fs::path& folder, const FeatureOptions& options, int max_side) {
  const std::vector<std::string> files = picture_names(folder);
  prepare_opencv_for(folder, files);
  const auto detector = make_keypoint_detector(options);
  std::vector<std::vector<Keypoint>> found(files.size());
  std::vector<std::string> problems(files.size());
  Progress progress("keypoints", "pictures", static_cast<int64_t>(files.size()));
  parallel_for(static_cast<int64_t>(files.size()), [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[keypoints] interrupted; nothing was written");
    try {
      ReducedImage picture = reduce_to(read_image(folder / files[i]), max_side);
      found[i] = detector->detect(ScalePyramid(std::move(picture.image)));
      for (Keypoint& k : found[i]) {  // in pixels of the file
        k.x *= picture.reduction;
        k.y *= picture.reduction;
        k.sigma *= picture.reduction;
      }
      if (found[i].empty()) problems[i] = "no keypoint found";
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kWork) throw;
      problems[i] = error.what();
    }
    progress.add(1);
  });
  FoundKeypoints result;
  for (size_t i = 0; i < files.size(); ++i) {
    result.count += std::ssize(found[i]);
    if (!problems[i].empty()) {
      result.skipped.push_back({files[i], problems[i]});
    } else {
      result.list.emplace(files[i], std::move(found[i]));
    }
  }
  return result;
}

}  // namespace adasample
