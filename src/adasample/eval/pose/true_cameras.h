// SPDX-License-Identifier: Apache-2.0
// Cameras that are known: of a folder of Strecha's files, or of a COLMAP model.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/features/match/two_view.h"

namespace adasample {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<double, 9>;  // row-major

struct TrueCamera {
  std::string name;             // of the picture
  CameraIntrinsics intrinsics;  // pixel centres at integers
  Matrix3 rotation{};           // camera from world
  Vector3 centre{};
  int width = 0, height = 0;  // of the picture that the intrinsics belong to

  // For the same picture in another size.
  CameraIntrinsics intrinsics_at(int picture_width, int picture_height) const;
};

// Strecha's: three rows of K, three zeros, three rows of the rotation from camera to world, the centre, width and
// height. Throws Error that names file and line.
TrueCamera parse_strecha_camera(std::string_view text, const std::string& file);

// NAME.camera for every picture NAME, or the three files of a COLMAP model; by name. Throws Error for a folder that
// holds neither.
std::vector<TrueCamera> read_true_cameras(const std::filesystem::path& folder);

Matrix3 rotation_of(const std::array<double, 4>& quaternion);  // w x y z, of norm 1
Matrix3 product(const Matrix3& a, const Matrix3& b);
Matrix3 transposed(const Matrix3& m);
Vector3 product(const Matrix3& m, const Vector3& v);
double angle_of(const Matrix3& rotation);                  // degrees, 0 to 180
double angle_between(const Vector3& a, const Vector3& b);  // degrees; 180 where one is zero

}  // namespace adasample
