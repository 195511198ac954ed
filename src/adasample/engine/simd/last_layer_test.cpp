// SPDX-License-Identifier: Apache-2.0
// The last layer by every instruction set of this machine, in floats, 16 bits and 8, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/engine/simd/kernels.h"
#include "adasample/engine/simd/normal_numbers.h"
#include "adasample/engine/simd/numbers.h"
#include "adasample/engine/simd/pack.h"

namespace adasample::simd {
namespace {

TEST(SimdLastLayer, ForAnyNumberOfPatches) {
  constexpr int kMost = 13, kChannels = 128, kWidth = 8;
  const std::vector<float> weight = normal(size_t{kLastColumns} * kLastDepth, 0.01f, 9);
  const std::vector<float> noise = normal(size_t{kMost} * kLastStride, 1, 10);
  Numbers<float> packed(size_t{kLastColumns} * kLastDepth), bias(kLastColumns), in(noise.size());
  std::transform(noise.begin(), noise.end(), in.data(), [](float x) { return std::max(x, 0.f); });
  Numbers<int16_t> packed16(packed.size()), small(in.size());
  Numbers<float> scale(kLastColumns);
  for (size_t o = 0; o < bias.size(); ++o) bias[o] = static_cast<float>(o) / 100;
  for (const Kernels* k : all_kernels()) {
    pack_last(weight.data(), kChannels, kWidth, k->panel_width, packed.data());
    pack_last_int16(weight.data(), kChannels, kWidth, k->panel_width_int16, packed16.data(), scale.data());
    for (int patches = 1; patches <= kMost; ++patches) {
      Numbers<float> out(static_cast<size_t>(patches) * kLastColumns);
      k->last(in.data(), patches, packed.data(), bias.data(), out.data());
      Numbers<float> out16(out.size());
      k->last_int16(in.data(), patches, small.data(), packed16.data(), scale.data(), bias.data(), out16.data());
      for (int p = patches - 1; p < patches; ++p) {  // the others were the last ones before
        for (int o = 0; o < kLastColumns; o += 9) {
          double sum = bias[static_cast<size_t>(o)];
          for (int c = 0; c < kChannels; ++c) {
            for (int pixel = 0; pixel < kWidth * kWidth; ++pixel) {
              sum += double{weight[static_cast<size_t>((o * kChannels + c) * kWidth * kWidth + pixel)]} *
                     in[static_cast<size_t>(p * kLastStride + pixel * kChannels + c)];
            }
          }
          ASSERT_NEAR(out[static_cast<size_t>(p * kLastColumns + o)], sum, 2e-5) << k->name << ", " << patches;
          ASSERT_NEAR(out16[static_cast<size_t>(p * kLastColumns + o)], sum, 2e-3) << k->name << ", " << patches;
        }
      }
    }
  }
}

TEST(SimdLastLayer, In8Bits) {
  constexpr int kPatches = 3, kChannels = 128, kWidth = 8, kPixels = kWidth * kWidth;
  const std::vector<float> weight = normal(size_t{kLastColumns} * kLastDepth, 0.01f, 11);
  const std::vector<float> noise = normal(size_t{kPatches} * kLastStride, 1, 12);
  Numbers<float> in(noise.size()), bias(kLastColumns), scale(kLastColumns), out(size_t{kPatches} * kLastColumns);
  std::transform(noise.begin(), noise.end(), in.data(), [](float x) { return std::max(x, 0.f); });
  for (size_t o = 0; o < bias.size(); ++o) bias[o] = static_cast<float>(o) / 100;
  Numbers<int8_t> packed(weight.size());
  Numbers<uint8_t> small(in.size());
  for (const Kernels* k : all_kernels()) {
    if (k->last_int8 == nullptr) continue;
    pack_last_int8(weight.data(), kChannels, kWidth, k->panel_width_int16, packed.data(), scale.data());
    k->last_int8(in.data(), kPatches, small.data(), packed.data(), scale.data(), bias.data(), out.data());
    for (int p = 0; p < kPatches; ++p) {
      const float* from = in.data() + p * kLastStride;
      const float step = *std::max_element(from, from + kLastDepth) / 255;
      for (int o = 0; o < kLastColumns; o += 5) {
        double sum = bias[static_cast<size_t>(o)], exact = sum;
        for (int i = 0; i < kLastDepth; ++i) {
          const double w = weight[static_cast<size_t>(o * kLastDepth + i % kChannels * kPixels + i / kChannels)];
          const double w_step = scale[static_cast<size_t>(o)];
          exact += w * from[i];
          sum += std::nearbyint(w / w_step) * w_step * std::nearbyint(double{from[i]} / step) * step;
        }
        // A number halfway between two steps may be rounded either way: one step of it times a weight.
        ASSERT_NEAR(out[static_cast<size_t>(p * kLastColumns + o)], sum, 2e-3) << k->name << ", " << p;
        ASSERT_NEAR(out[static_cast<size_t>(p * kLastColumns + o)], exact, 0.05) << k->name << ", " << p;
      }
    }
  }
}

// As large as they can be: every number the largest, weights of one sign.
TEST(SimdLastLayer, IntegersDoNotOverflow) {
  const std::vector<float> weight(size_t{kLastColumns} * kLastDepth, 0.5f);
  Numbers<float> in(kLastStride), bias(kLastColumns), scale(kLastColumns), out(kLastColumns);
  std::fill_n(in.data(), kLastDepth, 3.f);
  Numbers<int16_t> packed(weight.size()), small(kLastStride);
  Numbers<int8_t> packed8(weight.size());
  Numbers<uint8_t> small8(kLastStride);
  for (const Kernels* k : all_kernels()) {
    pack_last_int16(weight.data(), 128, 8, k->panel_width_int16, packed.data(), scale.data());
    k->last_int16(in.data(), 1, small.data(), packed.data(), scale.data(), bias.data(), out.data());
    for (size_t o = 0; o < out.size(); ++o) ASSERT_NEAR(out[o], 3 * 0.5 * kLastDepth, 10) << k->name;
    if (k->last_int8 == nullptr) continue;
    pack_last_int8(weight.data(), 128, 8, k->panel_width_int16, packed8.data(), scale.data());
    k->last_int8(in.data(), 1, small8.data(), packed8.data(), scale.data(), bias.data(), out.data());
    for (size_t o = 0; o < out.size(); ++o) ASSERT_NEAR(out[o], 3 * 0.5 * kLastDepth, 10) << k->name;
  }
}

}  // namespace
}  // namespace adasample::simd
