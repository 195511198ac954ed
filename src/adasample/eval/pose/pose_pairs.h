// SPDX-License-Identifier: Apache-2.0
// Relative poses of pairs of pictures against the true ones, as SuperGlue and LoFTR report them: the error of a pair is
// the larger of the angle between the rotations and that between the directions of translation (up to its sign); the
// area under the curve of errors up to 5, 10 and 20 degrees, as a share. A pair without a pose has an error of 180.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/eval/pose/true_cameras.h"
#include "adasample/features/feature_options.h"
#include "adasample/features/match_pictures.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PosePair {
  std::string first, second;  // pictures
  CameraIntrinsics first_camera, second_camera;
  Matrix3 rotation{};     // second from first
  Vector3 translation{};  // second from first, of any length
};

// Lines of 38 words, as of ScanNet-1500: two names, two numbers of quarter turns, K and K (9 each), the 4 x 4 matrix
// from first to second; or of 32, as of MegaDepth-1500: two names, K, K, rotation (9), translation (3). Throws Error
// that names file and line; turned pictures are refused.
std::vector<PosePair> parse_pose_pairs(std::string_view text, const std::string& file);

// Every pair of the cameras whose pictures are below `images`, at the size of the pictures.
std::vector<PosePair> pose_pairs_of(const std::vector<TrueCamera>& cameras, const std::filesystem::path& images);

struct PoseOptions {
  PictureOptions pictures = {
      .features = {.detector = "sift", .max_keypoints = 2048}, .max_side = 3200, .as_stored = true};
  MatchLimits limits = {.ratio = 0.9};
  double threshold = 1;  // pixels, of an inlier

  void validate() const;
};

// "pairs" with errors, "auc" at 5, 10 and 20 degrees, medians. Pictures are described once each.
nlohmann::ordered_json evaluate_poses(const std::vector<PosePair>& pairs, const std::filesystem::path& images,
                                      Descriptor& descriptor, const PoseOptions& options);
std::string poses_table(const nlohmann::ordered_json& object);

// The area under the share of errors (degrees) below x, for x from 0 to `limit`, over `limit`: straight lines between
// (0, 0), (e_1, 1/n), (e_2, 2/n), .. of the sorted errors, level from the last one below the limit on.
double area_under_curve(std::vector<double> errors, double limit);

double pose_error(const PosePair& truth, const Matrix3& rotation, const Vector3& translation);

}  // namespace adasample
