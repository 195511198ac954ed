// SPDX-License-Identifier: Apache-2.0
// The first convolution, 1 -> 32 channels, in training mode. One input channel leaves matrix units idle and libraries
// slow (bench/gpu.md): here it is bound by the memory it writes. Its input needs no gradient, so the backward pass goes
// from the activation's gradient straight to the weights' and never writes the one in between.
#pragma once

#include "adasample/gpu/batch_norm.h"
#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

// patches (m, 32, 32) of `element`, weight (32, 3, 3) fp32 -> y (m, 32, 32, 32) channels last of `element`, before
// batch norm, and its statistics.
void first_layer(const void* patches, Element element, int64_t m, const float* weight, double epsilon, void* y,
                 const Statistics& statistics, Stream stream);

// dy: gradient of max(0, batch norm of y) -> gradient of the weight, (32, 3, 3) fp32.
void first_layer_backward(const void* patches, Element element, int64_t m, const void* y, const Statistics& statistics,
                          const void* dy, float* gradient, Stream stream);

}  // namespace adasample::gpu
