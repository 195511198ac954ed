// SPDX-License-Identifier: Apache-2.0
// Batch norm in training mode by the statistics of a whole batch of which only a part is here. With N numbers a channel
// in the whole batch, x' = (x - mean) / sqrt(variance + eps), g the gradient of x' and sums over the whole batch:
//   grad x = (g - sum(g) / N - x' sum(g x') / N) / sqrt(variance + eps)
// One sum over the ranks forward, of deviations from the running mean and their squares, and one backward.
#pragma once

#include <torch/torch.h>

#include "adasample/net/net.h"

namespace adasample {

// x: (m, C, W, W). Updates the running statistics, as the module itself does. `part` must stay until the backward pass.
at::Tensor batch_norm_of_part(torch::nn::BatchNorm2dImpl& norm, const at::Tensor& x, const PartOfBatch& part);

}  // namespace adasample
