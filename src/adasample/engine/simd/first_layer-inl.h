// SPDX-License-Identifier: Apache-2.0
// The first layer, whose one input channel wants code of its own: eight pixels of a row share the loads of nine taps.
#if defined(ADASAMPLE_ENGINE_SIMD_FIRST_LAYER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_FIRST_LAYER_INL_H
#undef ADASAMPLE_ENGINE_SIMD_FIRST_LAYER_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_FIRST_LAYER_INL_H
#endif

#include <hwy/highway.h>

#include "adasample/engine/simd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// in: (width + 2, width + 2) with a border of zeros; weights (9, channels), then the bias (channels); out has a border.
template <typename Out>
HWY_INLINE void first_layer(const float* HWY_RESTRICT in, int width, const float* HWY_RESTRICT weights, int channels,
                            Out* HWY_RESTRICT out) {
  constexpr int kTaps = 9, kPixels = 4;
  const FloatTag d;
  const int pitch = width + 2;
  for (int c = 0; c < channels; c += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<FloatTag> taps[kTaps];
#pragma GCC unroll 9
    for (int i = 0; i < kTaps; ++i) taps[i] = hn::LoadU(d, weights + i * channels + c);
    const auto bias = hn::LoadU(d, weights + kTaps * channels + c);
    for (int y = 0; y < width; ++y) {
      Out* to = out + ((y + 1) * pitch + 1) * channels + c;
      for (int x = 0; x < width; x += kPixels) {
        hn::Vec<FloatTag> sums[kPixels];
#pragma GCC unroll 8
        for (int p = 0; p < kPixels; ++p) sums[p] = bias;
#pragma GCC unroll 9
        for (int i = 0; i < kTaps; ++i) {
          const float* at = in + (y + i / 3) * pitch + x + i % 3;
#pragma GCC unroll 8
          for (int p = 0; p < kPixels; ++p) sums[p] = hn::MulAdd(taps[i], hn::Set(d, at[p]), sums[p]);
        }
#pragma GCC unroll 8
        for (int p = 0; p < kPixels; ++p) put(d, hn::Max(sums[p], hn::Zero(d)), to + (x + p) * channels);
      }
    }
  }
}

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
