// SPDX-License-Identifier: Apache-2.0
// (x - mean) / (unbiased std + epsilon) of a 32 x 32 patch of bytes by a block of 256 threads, four pixels each.
#pragma once

#include <cstdint>

namespace adasample::gpu {

struct PatchNorm {
  static constexpr int kPixels = 32 * 32, kThreads = kPixels / 4;

  float mean, scale;

  // `partial`: shared memory for a number a warp; to be left alone until the block's next barrier.
  __device__ PatchNorm(uchar4 v, float epsilon, int2* partial) {
    int2 sum = {v.x + v.y + v.z + v.w, v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w};  // of bytes: exact
    for (int step = 16; step > 0; step /= 2) {
      sum.x += __shfl_xor_sync(~0u, sum.x, step);
      sum.y += __shfl_xor_sync(~0u, sum.y, step);
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = {0, 0};
    for (int warp = 0; warp < kThreads / 32; ++warp) sum = {sum.x + partial[warp].x, sum.y + partial[warp].y};
    mean = static_cast<float>(sum.x) / kPixels;
    const float variance =
        static_cast<float>(int64_t{kPixels} * sum.y - int64_t{sum.x} * sum.x) / (float{kPixels} * (kPixels - 1));
    scale = 1 / (sqrtf(variance) + epsilon);
  }

  __device__ float operator()(uint8_t x) const { return (x - mean) * scale; }
};

}  // namespace adasample::gpu
