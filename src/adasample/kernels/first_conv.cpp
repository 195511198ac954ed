// SPDX-License-Identifier: Apache-2.0
#include "adasample/kernels/first_conv.h"

#include <algorithm>

#include "adasample/base/error.h"

// Compiled for what machines have; chosen when the program starts.
#define ADA_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))

namespace adasample {
namespace {

constexpr int kSize = 32, kPitch = kSize + 2, kChannels = 32, kTaps = 9;

// input: a patch with a border of zeros; put(pixel, sums of its 32 channels).
template <typename Put>
__attribute__((always_inline)) inline void convolve_patch(const float* __restrict__ input,
                                                          const float* __restrict__ weights, const Put& put) {
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
      for (int p = 0; p < 4; ++p) put(y * kSize + x + p, sums[p]);
    }
  }
}

ADA_CLONES void to_floats(const float* input, const float* weights, float* out) {
  convolve_patch(input, weights, [out](int pixel, const float* sums) {
    for (int c = 0; c < kChannels; ++c) out[pixel * kChannels + c] = std::max(sums[c], 0.f);
  });
}

ADA_CLONES void to_bytes(const float* input, const float* weights, uint8_t* out) {
  convolve_patch(input, weights, [out](int pixel, const float* sums) {
    for (int c = 0; c < kChannels; ++c) {
      out[pixel * kChannels + c] = static_cast<uint8_t>(static_cast<int>(std::clamp(sums[c], 0.f, 255.f) + 0.5f));
    }
  });
}

struct PaddedPatch {
  float values[kPitch * kPitch] = {};

  PaddedPatch(const uint8_t* patch, double epsilon) {
    float normalised[kSize * kSize];
    normalise_patch(patch, kSize, epsilon, normalised);
    for (int y = 0; y < kSize; ++y) std::copy_n(normalised + y * kSize, kSize, values + (y + 1) * kPitch + 1);
  }
};

}  // namespace

void FirstConv::refold(const FoldedLayer& layer, float step) {
  ADA_ASSERT(layer.shape.in_channels == 1 && layer.shape.out_channels == kChannels && layer.shape.kernel == 3 &&
             layer.shape.stride == 1 && layer.shape.padding == 1 && layer.shape.relu && table_->input_size == kSize);
  weights_.resize((kTaps + 1) * kChannels);
  for (int c = 0; c < kChannels; ++c) {
    for (int tap = 0; tap < kTaps; ++tap) {
      weights_[static_cast<size_t>(tap * kChannels + c)] = layer.weight[static_cast<size_t>(c * kTaps + tap)] / step;
    }
    weights_[static_cast<size_t>(kTaps * kChannels + c)] = layer.bias[static_cast<size_t>(c)] / step;
  }
}

void FirstConv::run(const uint8_t* patch, float* out) const {
  to_floats(PaddedPatch(patch, table_->input_epsilon).values, weights_.data(), out);
}

void FirstConv::run(const uint8_t* patch, uint8_t* out) const {
  to_bytes(PaddedPatch(patch, table_->input_epsilon).values, weights_.data(), out);
}

}  // namespace adasample
