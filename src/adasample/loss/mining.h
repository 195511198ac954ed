// SPDX-License-Identifier: Apache-2.0
// Hard negatives inside a batch. Row i is the pair (a_i, p_i); its candidates are, for all j != i,
//   eq14   (a_i, a_j) and (p_i, p_j)      as the paper's Eq. 14 says
//   cross  (a_i, p_j) and (a_j, p_i)      as HardNet does
//   all    both
// The closest candidate is taken. Descriptors are unit vectors, so "closest" is "largest dot product" in either metric.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <string_view>
#include <vector>

namespace adasample {

enum class Negatives { kEq14, kCross, kAll };
std::string_view to_string(Negatives negatives);
Negatives parse_negatives(std::string_view name);
std::vector<std::string> negatives_names();

struct MiningOptions {
  Negatives negatives = Negatives::kEq14;
  // Candidates closer than this (Euclidean) are taken for duplicates of the same point and skipped; 0 switches it off. A row
  // whose candidates are all skipped keeps its unmasked closest one: masking everything would read as success.
  double duplicate_distance = 0;
};

struct MinedNegatives {
  at::Tensor first, second;  // (n) int64: the pair of descriptors, as rows of the stacked (2n, D) batch [a; p]
  at::Tensor fully_masked;   // (n) bool: every candidate of the row was a duplicate
};

// `stacked`: (2n, D) = [anchors; positives]. No gradient flows.
// `quantile`: none for the closest candidate; else a zero-dimensional tensor q in [0, 1], and the candidate at the q-quantile
// of similarity is taken (q = 1 is the closest again). The warm-up uses it.
MinedNegatives mine_negatives(const at::Tensor& stacked, const MiningOptions& options,
                              const std::optional<at::Tensor>& quantile = std::nullopt);

}  // namespace adasample
