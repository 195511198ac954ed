// SPDX-License-Identifier: Apache-2.0
// Batch norm's arithmetic, shared with the first layer, which does it on the way.
#pragma once

#include "adasample/gpu/batch_norm.h"
#include "adasample/gpu/cuda/columns.cuh"

namespace adasample::gpu {

// Behind the partial sums in a layer's scratch: the means of g and of g * y over the rows, for the backward pass.
__device__ inline float* gradient_means(const Statistics& s, int channels) {
  return s.scratch + kStatisticsScratch - 2 * channels;
}

// The norm of eight neighbouring channels.
struct Channels8 {
  float mean[8], inverse_std[8];
  __device__ Channels8(const Statistics& s, int channel) {
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      mean[c] = s.mean[channel + c];
      inverse_std[c] = s.inverse_std[channel + c];
    }
  }
  __device__ float operator()(float x, int c) const { return (x - mean[c]) * inverse_std[c]; }
};

// dx = (g - mean(g) - y mean(g y)) / std, g = dy where the ReLU let y through.
struct Backward8 {
  Channels8 norm;
  float mean_g[8], mean_gy[8];
  __device__ Backward8(const Statistics& s, int channel, int channels) : norm(s, channel) {
    const float* means = gradient_means(s, channels);
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      mean_g[c] = means[2 * (channel + c)];
      mean_gy[c] = means[2 * (channel + c) + 1];
    }
  }
  template <bool Relu>
  __device__ float gradient(float x, float dy, int c) const {
    const float y = norm(x, c), g = Relu && y <= 0 ? 0 : dy;
    return norm.inverse_std[c] * (g - mean_g[c] - y * mean_gy[c]);
  }
};

// Partial sums of x and x^2 in the scratch, (blocks, channels, 2), to statistics.
void finish_statistics(int blocks, int64_t rows, int channels, double epsilon, const Statistics& s, Stream stream);
// Leaves gradient_means.
void sum_row_gradients(const Rows& x, const Statistics& s, bool relu, const void* dy, Stream stream);

}  // namespace adasample::gpu
