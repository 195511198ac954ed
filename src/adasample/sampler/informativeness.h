// SPDX-License-Identifier: Apache-2.0
// What a candidate is drawn by: p_i ~ r_i^exponent, where Eq. 13 has r = d.
//   distance  r_i = d_i                                    the paper's
//   residual  r_i = sqrt(max(0, t + d_i^2 - d_neg^2))      the pair's own hinge, for which the paper puts d^2: a class
//                                                          with a close negative is drawn from more evenly, and what
//                                                          its margin already holds apart is not drawn at all
//   gradient  r_i = |grad L_i| over all weights            what d stands for (Eq. 22 to 24), measured: the oracle
//   strength  r_i = d_i / D(anchor's strength, i's)        how much farther than views of these strengths are on
//                                                          average: what is hard, not what was warped most
// d_neg is the distance from the anchor to the closest anchor of the batch, measured as the candidates are, without
// gradient. Weights and loss have d as ever.
#pragma once

#include <torch/torch.h>

#include "adasample/sampler/sampler.h"

namespace adasample {

// r of every slot, (n, k); what it is for the anchor and for padding does not matter. distances: (n, k) to the anchor.
at::Tensor informativeness(const SamplerPolicy& policy, const SamplerInput& input, const at::Tensor& anchor,
                           const at::Tensor& distances, Metric metric);

// Of each anchor the closest other one. x: (n, D), n >= 2 -> (n) int64
at::Tensor closest_row(const at::Tensor& x);
// The distance to it. (n)
at::Tensor closest_distance(const at::Tensor& x, Metric metric);

}  // namespace adasample
