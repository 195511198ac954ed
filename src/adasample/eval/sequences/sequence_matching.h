// SPDX-License-Identifier: Apache-2.0
// Whole pictures instead of patches: in each homography sequence keypoints are detected in every picture on its own, a
// patch is cut around each and described, and the reference's keypoints are matched with those of every other picture
// by mutual nearest neighbours (eval/sequences/plane_matching.h has the figures). Keypoints depend on the pictures
// alone, so all descriptors are compared on equal terms; what detector and matcher miss counts against all of them
// alike. Memory: one sequence at a time, at most about 60 bytes a pixel of its pictures, and its descriptors.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/data/sequences/sequence_folder.h"
#include "adasample/eval/sequences/plane_matching.h"
#include "adasample/features/feature_options.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct MatchedSequence {
  std::string name;
  std::vector<int64_t> keypoints;  // a picture
  std::vector<PlaneScore> pairs;   // [i]: the reference and picture i + 2
};

// Throws a usage Error, also for fewer keypoints than a homography takes.
void check_matching_options(const FeatureOptions& options);

// Without an estimator there are no figures of homographies. `seconds` receives the time spent in describe(). Throws
// Error for a folder that is no sequence (data/sequences/sequence_folder.h). Ctrl-C throws Error.
std::vector<MatchedSequence> match_sequences(const std::filesystem::path& folder, Descriptor& descriptor,
                                             const HomographyEstimator& estimate, const FeatureOptions& options,
                                             double& seconds);

// Means over pairs: "matches", "matching_score", "mma": {"1": .. "10": ..}, "homography": {"1", "3", "5"} or null;
// of all, of the sequences i_* (light) and v_* (viewpoint) under "per", and of each under "sequences".
nlohmann::ordered_json matching_json(const std::vector<MatchedSequence>& sequences, const FeatureOptions& options);

// A table for people, in per cent.
std::string matching_table(const std::vector<MatchedSequence>& sequences);

}  // namespace adasample
