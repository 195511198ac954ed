// SPDX-License-Identifier: Apache-2.0
// The last layer, which covers its whole input: a product of matrices. Its weights are read from memory's far end once
// for all patches of a call, kLastAtOnce rows at a time.
#if defined(ADASAMPLE_ENGINE_SIMD_LAST_LAYER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_LAST_LAYER_INL_H
#undef ADASAMPLE_ENGINE_SIMD_LAST_LAYER_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_LAST_LAYER_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "adasample/engine/simd/kernels.h"
#include "adasample/engine/simd/products-inl.h"
#include "adasample/engine/simd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void last_layer(const float* in, int patches, const float* weights, const float* bias, float* out) {
  for (int p = 0; p < patches; ++p) std::copy_n(bias, kLastColumns, out + p * kLastColumns);
  const size_t width = kVectors * hn::Lanes(FloatTag());
  for (int k = 0; k < kLastDepth; k += kLastAtOnce) {
    for (size_t column = 0; column < kLastColumns; column += width) {
      in_groups<kRows, 1>(patches, [&](auto rows, int first) HWY_ATTR {
        multiply<rows(), kLastStride, true>(in + first * kLastStride + k, weights, kLastAtOnce,
                                            out + static_cast<size_t>(first * kLastColumns) + column, kLastColumns);
      });
      weights += kLastAtOnce * width;
    }
  }
}

HWY_INLINE void put_small(FloatTag, hn::Vec<FloatTag> v, int16_t* to) {
  const hn::Rebind<int16_t, FloatTag> narrow;
  hn::Store(hn::DemoteTo(narrow, hn::NearestInt(v)), narrow, to);
}
HWY_INLINE void put_small(FloatTag d, hn::Vec<FloatTag> v, uint8_t* to) { put(d, v, to); }

// In steps, so that the largest number is `most`; says how large a step is. No number is below zero.
template <typename Small>
HWY_INLINE float to_small(const float* in, int most, Small* small) {
  const FloatTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto found = hn::Zero(d);
  for (int i = 0; i < kLastDepth; i += lanes) found = hn::Max(found, hn::LoadU(d, in + i));
  const float largest = hn::GetLane(hn::MaxOfLanes(d, found));
  const float step = largest > 1e-30f ? largest / static_cast<float>(most) : 1;
  const auto steps = hn::Set(d, 1 / step);
  for (int i = 0; i < kLastDepth; i += lanes) put_small(d, hn::Mul(hn::LoadU(d, in + i), steps), small + i);
  return step;
}

// Small and Weight: integers of 16 bits, or bytes where `multiply` has them.
template <typename Small, typename Weight>
HWY_INLINE void last_layer(const float* in, int patches, Small* small, const Weight* weights, const float* scale,
                           const float* bias, float* out) {
  constexpr int kLargest = sizeof(Small) == 1 ? 255 : kLargestSmall;
  const FloatTag d;
  const size_t lanes = hn::Lanes(d), width = kIntVectors * lanes;
  std::fill_n(out, patches * kLastColumns, 0.f);
  float step[kMostPatches];
  for (int p = 0; p < patches; ++p) step[p] = to_small(in + p * kLastStride, kLargest, small + p * kLastStride);
  for (int k = 0; k < kLastDepth; k += kLastAtOnce) {
    for (size_t column = 0; column < kLastColumns; column += width) {
      in_groups<kIntRows, 1>(patches, [&](auto rows, int first) HWY_ATTR {
        HWY_ALIGN int32_t sums[rows() * kIntVectors * hn::MaxLanes(Int32Tag())];
        multiply<rows(), kLastStride, false>(small + first * kLastStride + k, weights, kLastAtOnce, sums, width);
        for (size_t i = 0; i < rows() * width; i += lanes) {
          float* to = out + (static_cast<size_t>(first) + i / width) * kLastColumns + column + i % width;
          hn::StoreU(hn::Add(hn::LoadU(d, to), hn::ConvertTo(d, hn::Load(Int32Tag(), sums + i))), d, to);
        }
      });
      weights += kLastAtOnce * width;
    }
  }
  for (int p = 0; p < patches; ++p) {
    for (int o = 0; o < kLastColumns; ++o) {
      float& sum = out[p * kLastColumns + o];
      sum = sum * scale[o] * step[p] + bias[o];
    }
  }
}

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
