// SPDX-License-Identifier: Apache-2.0
// pair_gradient() of every candidate of a batch, to draw positives by: the oracle. Slow: n (k - 1) backward passes.
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
