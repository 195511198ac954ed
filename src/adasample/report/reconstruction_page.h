// SPDX-License-Identifier: Apache-2.0
// A reconstruction as one HTML page: how much was registered, which pictures match, where the cameras stand, what was
// left out and why.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace adasample {

struct ReconstructedPicture {
  std::string name;
  int64_t keypoints = 0, partners = 0, inliers = 0;  // partners: pictures it is verified with; inliers of all of them
  bool registered = false;
  int64_t points = 0;               // of the model that it sees
  std::array<double, 3> centre{};   // of the camera; where registered
  std::array<double, 3> forward{};  // unit vector along its axis
  std::string why;                  // where not registered
};

struct ReconstructionPage {
  std::string title;
  std::vector<ReconstructedPicture> pictures;
  std::vector<int64_t> inliers;                  // (pictures, pictures), of verified pairs
  std::vector<std::array<double, 3>> positions;  // of points
  int64_t observations = 0;
  double error = 0;                       // mean reprojection error, pixels
  std::vector<std::string> other_models;  // in words, one per smaller model
  std::vector<std::string> commands;      // that made it
};

std::string reconstruction_html(const ReconstructionPage& page);

}  // namespace adasample
