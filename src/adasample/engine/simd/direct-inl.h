// SPDX-License-Identifier: Apache-2.0
// A convolution of bytes with stride 2 as it is written, by products of four bytes at once: with them Winograd's 81
// products of 16 bits save nothing over 144, and the way to the points and back is not needed.
#if defined(ADASAMPLE_ENGINE_SIMD_DIRECT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_DIRECT_INL_H
#undef ADASAMPLE_ENGINE_SIMD_DIRECT_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_DIRECT_INL_H
#endif

#include <hwy/highway.h>

#include "adasample/engine/simd/conv_shape.h"
#include "adasample/engine/simd/products-inl.h"
#include "adasample/engine/simd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL

// `pixels` neighbours in a row of results, the channels of one panel. The three taps of a row and their channels lie
// side by side, in the input as in the weights.
template <int in_channels, int pixels>
HWY_INLINE void pixels_directly(const uint8_t* HWY_RESTRICT in, size_t in_row, const int8_t* HWY_RESTRICT weight,
                                const float* scale, const float* bias, uint8_t* HWY_RESTRICT out, size_t channels) {
  constexpr int kStride = 2, kDepth = 3 * in_channels;
  const FloatTag d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Int32Tag> sums[pixels][kIntVectors];
  set_zero(sums);
  for (int y = 0; y < 3; ++y) {
    add_products<pixels, kStride * in_channels>(in, weight, kDepth, sums);
    in += in_row;
    weight += kDepth * kIntVectors * lanes;
  }
#pragma GCC unroll 4
  for (int v = 0; v < kIntVectors; ++v) {
    const size_t c = static_cast<size_t>(v) * lanes;
    const auto step = hn::Load(d, scale + c), b = hn::Load(d, bias + c);
#pragma GCC unroll 16
    for (int p = 0; p < pixels; ++p) {
      put(d, hn::Max(hn::MulAdd(hn::ConvertTo(d, sums[p][v]), step, b), hn::Zero(d)),
          out + static_cast<size_t>(p) * channels + c);
    }
  }
}

template <int in_channels>
HWY_INLINE void convolve_directly_as(const DirectConv& conv, const uint8_t* in, int patches,
                                     const Results<uint8_t>& results) {
  constexpr int kPixels = kIntRows;
  const ConvShape& s = conv.shape;
  const size_t width = kIntVectors * hn::Lanes(Int32Tag()), in_row = s.in_row();
  const auto channels = static_cast<size_t>(s.out_channels);
  const size_t out_row = static_cast<size_t>(s.out_width + 2 * results.border) * channels;
  for (int patch = 0; patch < patches; ++patch, in += s.in_patch()) {
    uint8_t* to = results.out + static_cast<size_t>(patch) * results.apart +
                  static_cast<size_t>(results.border) * (out_row + channels);
    const int8_t* weight = conv.weight;
    for (size_t column = 0; column < channels; column += width) {
      for (int y = 0; y < s.out_width; ++y) {
        const uint8_t* from = in + static_cast<size_t>(2 * y) * in_row;
        uint8_t* row = to + static_cast<size_t>(y) * out_row + column;
        for (int x = 0; x < s.out_width; x += kPixels, from += 2 * kPixels * in_channels, row += kPixels * channels) {
          pixels_directly<in_channels, kPixels>(from, in_row, weight, conv.scale + column, conv.bias + column, row,
                                                channels);
        }
      }
      weight += static_cast<size_t>(9 * in_channels) * width;
    }
  }
}

HWY_INLINE void convolve_directly(const DirectConv& conv, const uint8_t* in, int patches,
                                  const Results<uint8_t>& results) {
  if (conv.shape.in_channels == 32) {
    convolve_directly_as<32>(conv, in, patches, results);
  } else {
    convolve_directly_as<64>(conv, in, patches, results);
  }
}

#endif

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
