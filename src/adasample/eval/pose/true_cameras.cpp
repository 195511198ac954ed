// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pose/true_cameras.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/text.h"
#include "adasample/data/colmap/colmap_intrinsics.h"
#include "adasample/data/colmap/colmap_model.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kRotationTolerance = 1e-3;  // files have six digits
constexpr const char* kEnding = ".camera";

CameraIntrinsics intrinsics_of(const ColmapCamera& camera, const std::string& name) {
  auto found = colmap_intrinsics(camera);
  ADA_CHECK(found, "[pose] {}: a camera {} is not known here - expected a pinhole, with radial or OpenCV's distortion",
            name, colmap_camera_models()[static_cast<size_t>(camera.model)].name);
  found->cx -= 0.5;  // COLMAP's first pixel centre
  found->cy -= 0.5;
  return *found;
}

}  // namespace

CameraIntrinsics TrueCamera::intrinsics_at(int picture_width, int picture_height) const {
  const double x = static_cast<double>(picture_width) / width, y = static_cast<double>(picture_height) / height;
  CameraIntrinsics scaled = intrinsics;
  scaled.fx *= x;
  scaled.fy *= y;
  scaled.cx = (scaled.cx + 0.5) * x - 0.5;
  scaled.cy = (scaled.cy + 0.5) * y - 0.5;
  return scaled;
}

TrueCamera parse_strecha_camera(std::string_view text, const std::string& file) {
  TextReader reader(text, "pose", file);
  const auto row = [&](std::string_view what, size_t count) {
    if (!reader.next()) reader.fail(what, "the end of the file");
    if (reader.fields().size() != count) reader.fail(what, shown(reader.line()));
    std::vector<double> values;
    for (size_t i = 0; i < count; ++i) values.push_back(reader.number<double>(i, what));
    return values;
  };
  TrueCamera camera;
  const auto x = row("a row of K", 3), y = row("a row of K", 3), z = row("a row of K", 3);
  row("three zeros", 3);
  Matrix3 world_from_camera;
  for (size_t i = 0; i < 3; ++i) {
    const auto values = row("a row of the rotation", 3);
    std::copy(values.begin(), values.end(), world_from_camera.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  const auto centre = row("the centre", 3), size = row("width and height", 2);
  if (!(x[0] > 0 && y[1] > 0)) reader.fail("positive focal lengths", fmt::format("{} and {}", x[0], y[1]));
  if (!(size[0] >= 1 && size[1] >= 1 && size[0] < 1e6 && size[1] < 1e6)) {
    reader.fail("a size of a picture", fmt::format("{} x {}", size[0], size[1]));
  }
  const Matrix3 identity = product(world_from_camera, transposed(world_from_camera));
  for (size_t i = 0; i < 9; ++i) {
    if (!(std::abs(identity[i] - (i % 4 == 0 ? 1 : 0)) < kRotationTolerance))
      reader.fail("a rotation", "another matrix");
  }
  camera.intrinsics = {x[0], y[1], x[2], y[2], {}};
  camera.rotation = transposed(world_from_camera);
  std::copy(centre.begin(), centre.end(), camera.centre.begin());
  camera.width = static_cast<int>(size[0]);
  camera.height = static_cast<int>(size[1]);
  return camera;
}

std::vector<TrueCamera> read_true_cameras(const fs::path& folder) {
  ADA_CHECK(fs::is_directory(folder), "[pose] {}: expected a folder of cameras", folder.string());
  std::vector<TrueCamera> cameras;
  if (holds_colmap_model(folder)) {
    const ColmapModel model = read_colmap_model(folder);
    for (const ColmapImage& image : model.images) {
      const ColmapCamera& camera = model.camera(image.camera);
      cameras.push_back({image.name, intrinsics_of(camera, image.name), rotation_of(image.rotation), image.centre(),
                         camera.width, camera.height});
    }
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != kEnding) continue;
      cameras.push_back(parse_strecha_camera(read_text(entry.path()), entry.path().string()));
      cameras.back().name = entry.path().stem().string();
    }
  }
  ADA_CHECK(!cameras.empty(), "[pose] {}: expected a COLMAP model or files NAME{}, found neither", folder.string(),
            kEnding);
  std::sort(cameras.begin(), cameras.end(), [](const TrueCamera& a, const TrueCamera& b) { return a.name < b.name; });
  return cameras;
}

Matrix3 rotation_of(const std::array<double, 4>& q) {
  const auto& [w, x, y, z] = q;
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return c;
}

Matrix3 transposed(const Matrix3& m) { return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}; }

Vector3 product(const Matrix3& m, const Vector3& v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

double angle_of(const Matrix3& r) { return std::acos(std::clamp((r[0] + r[4] + r[8] - 1) / 2, -1.0, 1.0)) / kDegree; }

double angle_between(const Vector3& a, const Vector3& b) {
  const double norms = std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2]);
  if (!(norms > 0)) return 180;
  return std::acos(std::clamp((a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / norms, -1.0, 1.0)) / kDegree;
}

}  // namespace adasample
