// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_intrinsics.h"

namespace adasample {

std::optional<CameraIntrinsics> colmap_intrinsics(const ColmapCamera& camera) {
  const std::vector<double>& p = camera.parameters;
  const std::string_view name = colmap_camera_models()[static_cast<size_t>(camera.model)].name;
  CameraIntrinsics found;
  const auto one_focal = [&](size_t distortions) {
    found.fx = found.fy = p[0];
    found.cx = p[1];
    found.cy = p[2];
    for (size_t i = 0; i < distortions; ++i) found.distortion[i] = p[3 + i];
  };
  const auto two_focals = [&](size_t distortions) {
    found.fx = p[0];
    found.fy = p[1];
    found.cx = p[2];
    found.cy = p[3];
    for (size_t i = 0; i < distortions; ++i) found.distortion[i] = p[4 + i];
  };
  if (name == "SIMPLE_PINHOLE") {
    one_focal(0);
  } else if (name == "PINHOLE") {
    two_focals(0);
  } else if (name == "SIMPLE_RADIAL") {
    one_focal(1);
  } else if (name == "RADIAL") {
    one_focal(2);
  } else if (name == "OPENCV") {
    two_focals(4);
  } else if (name == "FULL_OPENCV") {
    two_focals(8);
  } else {
    return std::nullopt;
  }
  return found;
}

}  // namespace adasample
