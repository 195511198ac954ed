// SPDX-License-Identifier: Apache-2.0
// Four threads a pixel, eight channels each; a block walks over patches that lie in shared memory with their border.
#include "adasample/gpu/first_layer.h"

#include "adasample/gpu/cuda/batch_norm.cuh"
#include "adasample/gpu/cuda/columns.cuh"
#include "adasample/gpu/cuda/vector8.cuh"

namespace adasample::gpu {
namespace {

constexpr int kSize = 32, kPixels = kSize * kSize, kPitch = kSize + 2;
constexpr int kChannels = 32, kTaps = 9;
constexpr int kThreads = 256, kPixelsAtOnce = kThreads / 4;

struct Picture {
  float pixel[kPitch * kPitch];

  __device__ void clear() {
    for (int i = threadIdx.x; i < kPitch * kPitch; i += kThreads) pixel[i] = 0;
  }
  template <typename T>
  __device__ void load(const T* patch) {
    for (int i = threadIdx.x; i < kPixels; i += kThreads)
      pixel[(i / kSize + 1) * kPitch + i % kSize + 1] = static_cast<float>(patch[i]);
  }
  __device__ void window(int at, float (&taps)[kTaps]) const {
    const float* corner = pixel + at / kSize * kPitch + at % kSize;
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) taps[tap] = corner[tap / 3 * kPitch + tap % 3];
  }
};

template <typename T>
__global__ void __launch_bounds__(kThreads, 2)
    forward(const T* patches, int64_t m, const float* weight, T* y, float* partial) {
  __shared__ Picture picture;
  __shared__ float shared[kThreads / 32 * 4 * 16];
  const int channel = threadIdx.x % 4 * 8;
  float w[8][kTaps];
#pragma unroll
  for (int c = 0; c < 8; ++c) {
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) w[c][tap] = weight[(channel + c) * kTaps + tap];
  }
  float sums[16] = {};
  picture.clear();
  for (int64_t patch = blockIdx.x; patch < m; patch += gridDim.x) {
    __syncthreads();
    picture.load(patches + patch * kPixels);
    __syncthreads();
    for (int at = threadIdx.x / 4; at < kPixels; at += kPixelsAtOnce) {
      float taps[kTaps], v[8];
      picture.window(at, taps);
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        v[c] = 0;
#pragma unroll
        for (int tap = 0; tap < kTaps; ++tap) v[c] += w[c][tap] * taps[tap];
        sums[2 * c] += v[c];
        sums[2 * c + 1] += v[c] * v[c];
      }
      store8(y + (patch * kPixels + at) * kChannels + channel, v);
    }
  }
  add_over_block<4>(sums, shared, partial + int64_t{blockIdx.x} * 2 * kChannels);
}

template <typename T>
__global__ void __launch_bounds__(kThreads, 2)
    backward(const T* patches, int64_t m, const T* y, Statistics s, const T* dy, float* partial) {
  __shared__ Picture picture;
  __shared__ float shared[kThreads / 32 * 4 * 8 * kTaps];
  const int channel = threadIdx.x % 4 * 8;
  const Backward8 back(s, channel, kChannels);
  float sums[8 * kTaps] = {};
  picture.clear();
  for (int64_t patch = blockIdx.x; patch < m; patch += gridDim.x) {
    __syncthreads();
    picture.load(patches + patch * kPixels);
    __syncthreads();
    for (int at = threadIdx.x / 4; at < kPixels; at += kPixelsAtOnce) {
      float taps[kTaps], v[8], g[8];
      const int64_t row = (patch * kPixels + at) * kChannels + channel;
      load8(y + row, v);
      load8(dy + row, g);
      picture.window(at, taps);
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        const float gradient = back.gradient<true>(v[c], g[c], c);
#pragma unroll
        for (int tap = 0; tap < kTaps; ++tap) sums[c * kTaps + tap] += gradient * taps[tap];
      }
    }
  }
  add_over_block<4>(sums, shared, partial + int64_t{blockIdx.x} * kChannels * kTaps);
}

__global__ void finish_weights(int blocks, const float* partial, float* gradient) {
  const double sum = add_partials(partial + blockIdx.x, blocks, kChannels * kTaps);
  if (threadIdx.x == 0) gradient[blockIdx.x] = static_cast<float>(sum);
}

}  // namespace

void first_layer(const void* patches, Element element, int64_t m, const float* weight, double epsilon, void* y,
                 const Statistics& s, Stream stream) {
  const int blocks = column_blocks();
  with_element(element, [&]<typename T>(T*) {
    forward<<<blocks, kThreads, 0, stream>>>(static_cast<const T*>(patches), m, weight, static_cast<T*>(y), s.scratch);
  });
  check_launch("the first convolution");
  finish_statistics(blocks, m * kPixels, kChannels, epsilon, s, stream);
}

void first_layer_backward(const void* patches, Element element, int64_t m, const void* y, const Statistics& s,
                          const void* dy, float* gradient, Stream stream) {
  sum_row_gradients({y, element, m * kPixels, kChannels}, s, /*relu=*/true, dy, stream);
  const int blocks = column_blocks();
  with_element(element, [&]<typename T>(T*) {
    backward<<<blocks, kThreads, 0, stream>>>(static_cast<const T*>(patches), m, static_cast<const T*>(y), s,
                                              static_cast<const T*>(dy), s.scratch);
  });
  check_launch("the first convolution's gradient");
  finish_weights<<<kChannels * kTaps, 32, 0, stream>>>(blocks, s.scratch, gradient);
  check_launch("the first convolution's gradient, added up");
}

}  // namespace adasample::gpu
