// SPDX-License-Identifier: Apache-2.0
// How far apart views of given strengths usually are: a running mean of d for every pair of levels of strength, learned
// while training. A store says how strongly each of its patches was changed (data/patch_store.h); patches are told
// apart by kStrengthLevels steps of it.
#pragma once

#include <torch/torch.h>

namespace adasample {

inline constexpr int64_t kStrengthLevels = 8;

// Sums and their masses, (2, levels, levels) double: nothing learned yet.
at::Tensor no_usual_distances(const at::Device& device);

// Of each slot from its class's anchor, (n, k) double; 1 where nothing was learned. levels: (n, k) int64.
at::Tensor usual_distance(const at::Tensor& usual, const at::Tensor& levels, const at::Tensor& anchor);

// Takes in the distances (n, k) of the candidates; what was learned before fades by `decay`. In place.
void learn_usual_distances(at::Tensor& usual, const at::Tensor& levels, const at::Tensor& anchor,
                           const at::Tensor& candidates, const at::Tensor& distances, double decay);

}  // namespace adasample
