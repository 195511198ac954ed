// SPDX-License-Identifier: Apache-2.0
// The informativeness of every candidate pair as the paper defines it (Definition 1, Eq. 2), measured and not
// approximated: the norm of its loss's gradient over all weights, one backward pass a pair. Slow: n (k - 1) passes.
#pragma once

#include <torch/torch.h>

#include "adasample/loss/distance.h"
#include "adasample/net/net.h"
#include "adasample/sampler/sampler.h"

namespace adasample {

// |grad max(0, t + d(a, i)^2 - d(a, b)^2)| for every slot i of each class and its anchor a, evaluation mode; b is the
// closest other anchor of the batch, whose descriptor is a constant. patches: (n, k, S, S), anchor: (n);
// input.descriptors are those of the patches. 0 for the anchor itself and for padding. (n, k) double
at::Tensor example_gradients(const NetImpl& net, const at::Tensor& patches, const SamplerInput& input,
                             const at::Tensor& anchor, double margin, Metric metric);

}  // namespace adasample
