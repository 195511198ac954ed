// SPDX-License-Identifier: Apache-2.0
// Terms that a batch as a whole adds to any loss: --terms gor=1,sos=1.
//   gor  spreads descriptors of different points over the sphere     Zhang et al., ICCV 2017, "Learning Spread-out
//   Local
//                                                                     Feature Descriptors", Eq. 6
//   sos  second-order similarity: neighbours of a point are as far from its anchor as from its positive
//                                                                     Tian et al., CVPR 2019, "SOSNet", Eq. 4
#pragma once

#include <torch/torch.h>

#include <memory>

#include "adasample/loss/loss.h"

namespace adasample {

class BatchTerm {
 public:
  virtual ~BatchTerm() = default;
  virtual at::Tensor operator()(const LossInput& input) = 0;  // ()
  virtual LossState state() const { return {}; }
};

std::unique_ptr<BatchTerm> make_gor();
std::unique_ptr<BatchTerm> make_sos();

// `loss` and the options' terms, each with its factor.
std::unique_ptr<Loss> add_terms(std::unique_ptr<Loss> loss, const std::vector<LossTerm>& terms);

}  // namespace adasample
