// SPDX-License-Identifier: Apache-2.0
// The steps of data/sequences/sequences.h for one sequence: which keypoints, and the strips of patches cut for them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/data/sequences/frame_noise.h"
#include "adasample/data/sequences/sequences.h"
#include "adasample/image/affine.h"
#include "adasample/image/image.h"

namespace adasample {

struct SelectedKeypoint {
  Affine2 ref_from_patch;
  RngKey key;  // of its noise
};

struct Selection {
  NoiseLevels noise;
  std::vector<SelectedKeypoint> keypoints;  // in random order
  // How many there were by detector, and how many were dropped for what reason; each counts for the first that applies.
  std::vector<int64_t> candidates;  // in the order of SequenceOptions::detectors
  int64_t outside_reference = 0, flat = 0, outside_target = 0, overlapping = 0, beyond_max = 0;
};

// `name` is part of every draw's key: a sequence gives the same patches whatever stands beside it.
Selection select_keypoints(const Sequence& sequence, const std::string& name, const SequenceOptions& options,
                           const NoiseLevels& noise = noise_levels());

// Strips are one patch wide, patch after patch downwards, in the order of the selection. Target `t` is picture t + 2,
// `level` an index into NoiseLevels::levels.
GrayImage reference_strip(const Sequence& sequence, const Selection& selection);
GrayImage target_strip(const Sequence& sequence, const Selection& selection, size_t target, size_t level);

// Of each patch's disc in the reference before and after the noise of that strip.
std::vector<double> noise_overlaps(const Selection& selection, size_t target, size_t level);

}  // namespace adasample
