// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr std::array kCameraModels = {ColmapCameraModel{"SIMPLE_PINHOLE", 3},
                                      ColmapCameraModel{"PINHOLE", 4},
                                      ColmapCameraModel{"SIMPLE_RADIAL", 4},
                                      ColmapCameraModel{"RADIAL", 5},
                                      ColmapCameraModel{"OPENCV", 8},
                                      ColmapCameraModel{"OPENCV_FISHEYE", 8},
                                      ColmapCameraModel{"FULL_OPENCV", 12},
                                      ColmapCameraModel{"FOV", 5},
                                      ColmapCameraModel{"SIMPLE_RADIAL_FISHEYE", 4},
                                      ColmapCameraModel{"RADIAL_FISHEYE", 5},
                                      ColmapCameraModel{"THIN_PRISM_FISHEYE", 12}};

constexpr int kLargestExtent = 1000000;

std::string known_models() {
  std::string list;
  for (size_t i = 0; i < kCameraModels.size(); ++i) {
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, kCameraModels[i].name);
  }
  return "a camera model (" + list + ")";
}

template <typename Numbers>
void check_finite(const Numbers& numbers, std::string_view what, const ColmapFail& fail) {
  for (const double x : numbers) {
    if (!std::isfinite(x)) fail(what, fmt::format("{}", x));
  }
}

template <typename Record>
void sort_by_id(std::vector<Record>& records) {
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.id < b.id; });
}

}  // namespace

std::span<const ColmapCameraModel> colmap_camera_models() { return kCameraModels; }

int colmap_camera_model(std::string_view name, const ColmapFail& fail) {
  const auto* found =
      std::find_if(kCameraModels.begin(), kCameraModels.end(), [&](const auto& m) { return m.name == name; });
  if (found == kCameraModels.end()) fail(known_models(), shown(name));
  return static_cast<int>(found - kCameraModels.begin());
}

int colmap_camera_model(int64_t number, const ColmapFail& fail) {
  if (number < 0 || number >= static_cast<int64_t>(kCameraModels.size()))
    fail(known_models(), fmt::format("{}", number));
  return static_cast<int>(number);
}

void ColmapBuilder::add(ColmapCamera camera, const ColmapFail& fail) {
  if (!cameras_.insert(camera.id).second) fail("a new camera id", fmt::format("camera {} again", camera.id));
  const ColmapCameraModel& model = kCameraModels[static_cast<size_t>(camera.model)];
  if (camera.parameters.size() != static_cast<size_t>(model.parameters)) {
    fail(fmt::format("{} parameters of {}", model.parameters, model.name), fmt::format("{}", camera.parameters.size()));
  }
  check_finite(camera.parameters, "finite camera parameters", fail);
  if (std::min(camera.width, camera.height) < 1 || std::max(camera.width, camera.height) > kLargestExtent) {
    fail(fmt::format("a width and a height of 1 to {} pixels", kLargestExtent),
         fmt::format("{} x {}", camera.width, camera.height));
  }
  model_.cameras.push_back(std::move(camera));
}

void ColmapBuilder::add(ColmapImage image, const ColmapFail& fail) {
  if (!images_.try_emplace(image.id, model_.images.size()).second) {
    fail("a new image id", fmt::format("image {} again", image.id));
  }
  check_finite(image.rotation, "a finite rotation", fail);
  check_finite(image.translation, "a finite translation", fail);
  const auto& q = image.rotation;
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm > 0) || !std::isfinite(norm)) fail("a quaternion that can be normalised", fmt::format("length {}", norm));
  for (double& x : image.rotation) x /= norm;
  if (!cameras_.contains(image.camera)) {
    fail(fmt::format("one of the {} cameras", cameras_.size()), fmt::format("camera {}", image.camera));
  }
  if (image.name.empty()) fail("the name of a photograph", "none");
  if (!names_.insert(image.name).second) fail("a new name", shown(image.name) + " again");
  for (const ColmapPoint2D& p : image.points) check_finite(std::array{p.x, p.y}, "finite coordinates", fail);
  model_.images.push_back(std::move(image));
}

void ColmapBuilder::add(ColmapPoint point, const ColmapFail& fail) {
  if (point.id == kNoPoint3D) fail("the id of a point", "the mark of no point");
  if (!points_.insert(point.id).second) fail("a new point id", fmt::format("point {} again", point.id));
  check_finite(point.position, "a finite position", fail);
  check_finite(std::array{point.error}, "a finite reprojection error", fail);
  check_track(point, fail);
  model_.points.push_back(std::move(point));
}

void ColmapBuilder::check_track(const ColmapPoint& point, const ColmapFail& fail) const {
  for (const ColmapObservation& seen : point.track) {
    const auto found = images_.find(seen.image);
    if (found == images_.end()) {
      fail(fmt::format("a track through the {} images", images_.size()), fmt::format("image {}", seen.image));
    }
    const ColmapImage& image = model_.images[found->second];
    if (seen.index >= image.points.size()) {
      fail(fmt::format("one of the {} points of image {}", image.points.size(), image.id),
           fmt::format("point2D {}", seen.index));
    }
    if (const uint64_t named = image.points[seen.index].point; named != point.id) {
      fail(fmt::format("point2D {} of image {} to see point {}", seen.index, image.id, point.id),
           named == kNoPoint3D ? "that it sees none" : fmt::format("that it sees point {}", named));
    }
  }
}

ColmapModel ColmapBuilder::finish() {
  sort_by_id(model_.cameras);
  sort_by_id(model_.images);
  sort_by_id(model_.points);
  return std::move(model_);
}

}  // namespace adasample
