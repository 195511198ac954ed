// SPDX-License-Identifier: Apache-2.0
// Weights as the products of a pass want them, and their gradients on the way back. A layer's own layout is
// (out, ky, kx, in), LibTorch's "channels last".
#pragma once

#include "adasample/train/pass/kernels.h"

namespace adasample::pass {

// (3, 3) weights of every input and output -> points, for the inputs [begin, end) on the way forward and the outputs
// [back_begin, back_end) on the way back: so that threads can share the work.
struct Share {
  int index = 0, count = 1;
  int begin(int all) const { return static_cast<int>(int64_t{all} * index / count); }
  int end(int all) const { return static_cast<int>(int64_t{all} * (index + 1) / count); }
};
void pack(const Layer& layer, const float* weights, Share share, float* forward, float* back);
void pack_last(const float* weights, Share share, float* forward, float* back);

// Gradient of the points, laid out like `forward` -> gradient of the weights.
void unpack(const Layer& layer, const float* points, Share share, float* gradient);
void unpack_last(const float* points, Share share, float* gradient);

}  // namespace adasample::pass
