// SPDX-License-Identifier: Apache-2.0
// How informative a pair really is (Definition 1, Eq. 2): the norm of its loss's gradient over all weights of the
// network, for which its distance stands in the sampler (Eq. 22 to 24). Exact, and slow: a backward pass or two for one
// pair. The network is in evaluation mode, so that a pair depends on no other.
#pragma once

#include <torch/torch.h>

#include "adasample/loss/distance.h"
#include "adasample/net/net.h"

namespace adasample {

// L = max(0, t + d(a, x)^2 - d(y, b)^2): a the anchor, x its positive, y one of the two, b a negative.
struct PairLoss {
  double margin = 1;  // t
  Metric metric = Metric::kAngular;
};

struct PairGradient {
  bool active = false;  // L > 0; else both norms are 0
  double pushed = 0;    // |grad L|, b's descriptor being a constant: y is also pushed away from it
  double frozen = 0;    // |grad L|, d(y, b) being a constant; 0 where it was not asked for
};

// pair: (2, S, S), a and x; negative: (1, D), the descriptor of b; of_anchor: y is a, else x. In the network's own
// precision.
PairGradient pair_gradient(const NetImpl& net, const at::Tensor& pair, const at::Tensor& negative, bool of_anchor,
                           const PairLoss& loss, bool frozen_too);

}  // namespace adasample
