// SPDX-License-Identifier: Apache-2.0
// Triplet losses over a batch of n pairs, negatives mined in the batch.
//   ht       L_i = max(0, t + d_pos^2 - d_neg^2), Euclidean d              in [0, t + 4]
//   aht      the same with angles (Eq. 15)                                 in [0, t + pi^2]
//   hardnet  L_i = max(0, t + d_pos - d_neg), d = sqrt(|a|^2 + |p|^2 - 2 a.p + 1e-6) + 1e-8, cross negatives, as
//   published
// All are t where d_pos = d_neg, and 0 with zero gradient where d_neg is larger by the margin.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>

#include "adasample/loss/distance.h"
#include "adasample/loss/options.h"

namespace adasample {

struct LossOutput {
  at::Tensor per_pair;           // (n) L_i, differentiable; the step follows mean(w_i L_i)
  at::Tensor positive_distance;  // (n) d_pos, in the loss's metric, detached
  at::Tensor negative_distance;  // (n) d_neg, detached
  at::Tensor fully_masked;       // (n) bool, see mining.h
};

class Loss {
 public:
  virtual ~Loss() = default;
  // anchors, positives: (n, D), row i of both shows the same point. `quantile` as in mine_negatives.
  virtual LossOutput operator()(const at::Tensor& anchors, const at::Tensor& positives,
                                const std::optional<at::Tensor>& quantile = std::nullopt) const = 0;
  // The metric of this loss: it also serves in the sampling probabilities and weights.
  virtual Metric metric() const = 0;
};

std::unique_ptr<Loss> make_loss(const LossOptions& options);

// The first two in triplet.cpp, the third in hardnet.cpp; make_loss chooses.
std::unique_ptr<Loss> make_hinge_triplet(const LossOptions& options);
std::unique_ptr<Loss> make_angular_hinge_triplet(const LossOptions& options);
std::unique_ptr<Loss> make_hardnet(const LossOptions& options);

}  // namespace adasample
