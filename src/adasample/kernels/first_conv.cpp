// SPDX-License-Identifier: Apache-2.0
#include "adasample/kernels/first_conv.h"

#include <algorithm>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr int kSize = 32, kPitch = kSize + 2, kChannels = 32, kTaps = 9;
constexpr int kBlock = 16, kPlane = kSize * kSize * kBlock;  // sixteen channels are kept together

// input: a patch with a border of zeros. Compiled for what the machine has; chosen when the program starts.
__attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default"))) void convolve_patch(
    const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ out) {
  const float* bias = weights + kTaps * kChannels;
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; x += 4) {  // four pixels share the weights' loads
      float sums[4][kChannels];
      for (auto& sum : sums) {
        for (int c = 0; c < kChannels; ++c) sum[c] = bias[c];
      }
      for (int tap = 0; tap < kTaps; ++tap) {
        const float* w = weights + tap * kChannels;
        const float* at = input + (y + tap / 3) * kPitch + x + tap % 3;
        for (int p = 0; p < 4; ++p) {
          for (int c = 0; c < kChannels; ++c) sums[p][c] += w[c] * at[p];
        }
      }
      for (int p = 0; p < 4; ++p) {
        for (int c = 0; c < kBlock; ++c) {
          out[p * kBlock + c] = std::max(sums[p][c], 0.f);
          out[kPlane + p * kBlock + c] = std::max(sums[p][kBlock + c], 0.f);
        }
      }
      out += 4 * kBlock;
    }
  }
}

}  // namespace

void FirstConv::refold(const FoldedLayer& layer) {
  ADA_ASSERT(layer.shape.in_channels == 1 && layer.shape.out_channels == kChannels && layer.shape.kernel == 3 &&
             layer.shape.stride == 1 && layer.shape.padding == 1 && layer.shape.relu && table_->input_size == kSize);
  weights_.resize((kTaps + 1) * kChannels);
  for (int c = 0; c < kChannels; ++c) {
    for (int tap = 0; tap < kTaps; ++tap) {
      weights_[static_cast<size_t>(tap * kChannels + c)] = layer.weight[static_cast<size_t>(c * kTaps + tap)];
    }
    weights_[static_cast<size_t>(kTaps * kChannels + c)] = layer.bias[static_cast<size_t>(c)];
  }
}

void FirstConv::run(const uint8_t* patch, float* out) const {
  float normalised[kSize * kSize], padded[kPitch * kPitch] = {};
  normalise_patch(patch, kSize, table_->input_epsilon, normalised);
  for (int y = 0; y < kSize; ++y) {
    std::copy_n(normalised + y * kSize, kSize, padded + (y + 1) * kPitch + 1);
  }
  convolve_patch(padded, weights_.data(), out);
}

}  // namespace adasample
