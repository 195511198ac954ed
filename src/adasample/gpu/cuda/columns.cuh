// SPDX-License-Identifier: Apache-2.0
// Sums over rows, per column, in two launches and in a fixed order: each block leaves a row of partial sums, then a
// warp a column adds those up.
#pragma once

#include "adasample/gpu/cuda/check.cuh"

namespace adasample::gpu {

inline constexpr int kColumnThreads = 512;
inline constexpr int kMostBlocks = 512;

inline int column_blocks() {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device), "current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  return processors * 2 < kMostBlocks ? processors * 2 : kMostBlocks;
}

// Adds `Values` numbers of each thread over the threads of the block that have the same threadIdx.x % Period, and
// writes them to to[(threadIdx.x % Period) * Values + i]. Period: a power of two up to 32. `shared`: warps x Period x
// Values.
template <int Period, int Values>
__device__ void add_over_block(float (&values)[Values], float* shared, float* to) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
  for (int i = 0; i < Values; ++i) {
#pragma unroll
    for (int step = 16; step >= Period; step /= 2) values[i] += __shfl_xor_sync(~0u, values[i], step);
    if (lane < Period) shared[(warp * Period + lane) * Values + i] = values[i];
  }
  __syncthreads();
  for (int column = threadIdx.x; column < Period * Values; column += blockDim.x) {
    float sum = 0;
    for (int w = 0; w < warps; ++w) sum += shared[w * Period * Values + column];
    to[column] = sum;
  }
}

// The sum of partial[block * stride], by one warp; every lane has it.
__device__ inline double add_partials(const float* partial, int blocks, int stride) {
  double sum = 0;
  for (int block = threadIdx.x % 32; block < blocks; block += 32) sum += partial[block * stride];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  return sum;
}

}  // namespace adasample::gpu
