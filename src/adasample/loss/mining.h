// SPDX-License-Identifier: Apache-2.0
// Hard negatives inside a batch: of each row's candidates (loss/options.h) the closest. Descriptors are unit vectors,
// so "closest" is "largest dot product" in either metric.
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
// q-quantile of similarity is taken (q = 1 is the closest again). The warm-up uses it.
MinedNegatives mine_negatives(const at::Tensor& stacked, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile = std::nullopt);

}  // namespace adasample
