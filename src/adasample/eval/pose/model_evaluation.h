// SPDX-License-Identifier: Apache-2.0
// A model's cameras against true ones. A model is known up to a similarity: that which brings its camera centres
// closest to the true ones in the sense of least squares (Horn 1987) is applied first.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/colmap/colmap_model.h"
#include "adasample/eval/pose/true_cameras.h"

namespace adasample {

struct Similarity {
  double scale = 1;
  Matrix3 rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vector3 translation{};  // to = scale * rotation * from + translation
};

// As many points on both sides, three at least that are not on a line. Throws Error where there are fewer.
Similarity align(std::span<const Vector3> from, std::span<const Vector3> to);

// Of each picture that is registered and known: the angle of its rotation error in degrees and the distance of its
// centre in the truth's unit; means, medians and largest; the share registered; points, mean track, mean error.
nlohmann::ordered_json evaluate_model(const ColmapModel& model, const std::vector<TrueCamera>& truth);
std::string model_table(const nlohmann::ordered_json& object);

}  // namespace adasample
