// SPDX-License-Identifier: Apache-2.0
// A sparse model as COLMAP 3.8 writes it: photographs with poses, and 3D points with the
// places they were seen at, their tracks. Coordinates are COLMAP's own: the centre of the first pixel is (1/2, 1/2).
// Two forms of the same three files, cameras, images and points3D: text (colmap_text.cpp), binary (colmap_binary.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

struct ColmapCamera {
  uint32_t id = 0;
  int model = 0;  // index into colmap_camera_models()
  int width = 0, height = 0;
  std::vector<double> parameters;
};

inline constexpr uint64_t kNoPoint3D = std::numeric_limits<uint64_t>::max();

struct ColmapPoint2D {
  double x = 0, y = 0;
  uint64_t point = kNoPoint3D;  // id of the 3D point seen here
};

struct ColmapImage {
  uint32_t id = 0;
  std::array<double, 4> rotation{};     // camera from world, a unit quaternion w x y z
  std::array<double, 3> translation{};  // camera from world
  uint32_t camera = 0;                  // id
  std::string name;                     // path of the photograph below the folder of all
  std::vector<ColmapPoint2D> points;    // as many as keypoints were found, in the detector's order

  std::array<double, 3> centre() const;  // of the camera, in the world
};

struct ColmapObservation {
  uint32_t image = 0;  // id
  uint32_t index = 0;  // into ColmapImage::points
};

struct ColmapPoint {
  uint64_t id = 0;
  std::array<double, 3> position{};
  std::array<uint8_t, 3> colour{};
  double error = 0;  // mean reprojection error in pixels; negative: not known
  std::vector<ColmapObservation> track;
};

// All sorted by id, ids unique. Every camera of an image and every place of a track exists, and the point2D there names
// the track's point. The other way round it need not be so: a point2D may name a point that has been taken out.
struct ColmapModel {
  std::vector<ColmapCamera> cameras;
  std::vector<ColmapImage> images;
  std::vector<ColmapPoint> points;
  std::string form;    // "text" or "binary"
  std::string sha256;  // of the three files one after another

  const ColmapCamera& camera(uint32_t id) const;  // must exist, as below
  const ColmapImage& image(uint32_t id) const { return images[image_index(id)]; }
  size_t image_index(uint32_t id) const;
  int64_t observation_count() const;
};

struct ColmapCameraModel {
  std::string_view name;
  int parameters;
};
std::span<const ColmapCameraModel> colmap_camera_models();  // by COLMAP's number of the model

// The model in `folder`; the binary form where both are there. Other files (rigs, frames) are not looked at. Throws
// Error with file and line, or byte, what was expected and what was found.
ColmapModel read_colmap_model(const std::filesystem::path& folder);

// Whether `folder` holds the three files in one of the forms.
bool holds_colmap_model(const std::filesystem::path& folder);

// The places where the model's database or photographs may be: `name` in its folder and in the two above, which is
// where COLMAP's tutorials put them.
std::vector<std::filesystem::path> places_near_model(const std::filesystem::path& folder, const std::string& name);
// The first of these places that exists.
std::optional<std::filesystem::path> find_near_model(const std::filesystem::path& folder, const std::string& name);

}  // namespace adasample
