// SPDX-License-Identifier: Apache-2.0
// Negatives inside a batch: of each row's candidates (loss/options.h) the closest, or another choice. Descriptors are
// unit vectors, so "closest" is "largest dot product" in either metric.
#pragma once

#include <torch/torch.h>

#include <optional>

#include "adasample/loss/options.h"

namespace adasample {

struct MinedNegatives {
  at::Tensor first, second;  // (n) int64: the pair of descriptors, as rows of the stacked (2n, D) batch [a; p]
  at::Tensor fully_masked;   // (n) bool: every candidate of the row was a duplicate
};

// `stacked`: (2n, D) = [anchors; positives]. No gradient flows.
// `quantile`: none for the closest candidate; else a zero-dimensional tensor q in [0, 1], and the candidate at the
// q-quantile of similarity is taken (q = 1 is the closest again). The warm-up uses it, whatever the choice.
// `noise`: (n) uniform numbers in [0, 1), for a choice that is drawn.
MinedNegatives mine_negatives(const at::Tensor& stacked, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile = std::nullopt, const at::Tensor& noise = {});

// log of 1/q(d), cut off as loss/options.h says: -infinity beyond 1.4. similarity: dot products of unit vectors of R^D.
at::Tensor log_distance_weight(const at::Tensor& similarity, int64_t dimension);

// HardNet's: closer descriptors are duplicates of one point.
inline constexpr double kHardNetDuplicates = 0.008;

// The pairs and their negatives as Euclidean distances (smooth_distance), with gradient. (n) each
struct MinedPairs {
  at::Tensor positive, negative;
  at::Tensor fully_masked;
};
struct LossInput;
MinedPairs mine_pairs(const LossInput& input, const MiningOptions& options);

}  // namespace adasample
