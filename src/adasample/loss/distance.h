// SPDX-License-Identifier: Apache-2.0
// The distance d between descriptors. One choice serves in the sampling probabilities, the weights and the loss:
//   angular    d = arccos(x . y), radians (Eq. 15: AHT)          euclidean  d = |x - y| (HT)
#pragma once

#include <torch/torch.h>

#include <string>
#include <string_view>
#include <vector>

namespace adasample {

enum class Metric { kAngular, kEuclidean };
std::string_view to_string(Metric metric);

// d between rows: x, y broadcast to (.., D) -> (..). No gradient. Angles as 2 atan2(|x - y|, |x + y|), which is exact
// at 0 and pi where arccos loses half its digits. Never NaN, also for zero vectors.
at::Tensor row_distance(const at::Tensor& x, const at::Tensor& y, Metric metric);

// d^2 between rows of (n, D), differentiable in both.
// Angular: gradient -2 theta / sin(theta) times the other vector, which tends to -2 at theta = 0; sin(theta) is floored
// at 1e-3 near pi, where the true gradient is unbounded. So identical, opposite and zero vectors give finite gradients.
at::Tensor squared_distance(const at::Tensor& x, const at::Tensor& y, Metric metric);

// Under a root, whose slope is infinite at 0.
inline constexpr double kUnderRoot = 1e-6;
// sqrt(|x - y|^2 + kUnderRoot) between rows of (n, D), differentiable in both.
at::Tensor smooth_distance(const at::Tensor& x, const at::Tensor& y);

}  // namespace adasample
