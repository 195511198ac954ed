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

#include <cstring>

#include "adasample/engine/simd/conv_shape.h"
#include "adasample/engine/simd/products-inl.h"
#include "adasample/engine/simd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL

// sums += the products of four neighbours, added up. Without saturation, unlike AVX2's pmaddubsw.
HWY_INLINE hn::Vec<Int32Tag> add_quads(hn::Vec<Int32Tag> bytes, hn::Vec<Int32Tag> signed_bytes,
                                       hn::Vec<Int32Tag> sums) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(bytes.raw), "v"(signed_bytes.raw));
  return sums;
}

// kPixels neighbours in a row of results, the channels of one panel. The three taps of a row and their channels lie
// side by side, in the input as in the weights.
template <int in_channels, int pixels>
HWY_INLINE void pixels_directly(const uint8_t* HWY_RESTRICT in, size_t in_row, const int8_t* HWY_RESTRICT weight,
                                const float* scale, const float* bias, uint8_t* HWY_RESTRICT out, size_t channels) {
  constexpr int kStride = 2, kTaps = 3, kAtOnce = 4;
  const Int32Tag d;
  const FloatTag f;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Int32Tag> sums[pixels][kIntVectors];
#pragma GCC unroll 16
  for (int p = 0; p < pixels; ++p) {
#pragma GCC unroll 4
    for (int v = 0; v < kIntVectors; ++v) sums[p][v] = hn::Zero(d);
  }
  for (int y = 0; y < kTaps; ++y, in += in_row) {
    for (int k = 0; k < kTaps * in_channels; k += kAtOnce) {
      hn::Vec<Int32Tag> w[kIntVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kIntVectors; ++v) {
        w[v] = hn::BitCast(d, hn::Load(hn::Repartition<int8_t, Int32Tag>(), weight));
        weight += lanes * kAtOnce;
      }
#pragma GCC unroll 16
      for (int p = 0; p < pixels; ++p) {
        int32_t four;
        std::memcpy(&four, in + p * kStride * in_channels + k, sizeof four);
        const auto x = hn::Set(d, four);
#pragma GCC unroll 4
        for (int v = 0; v < kIntVectors; ++v) sums[p][v] = add_quads(x, w[v], sums[p][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kIntVectors; ++v) {
    const size_t c = static_cast<size_t>(v) * lanes;
    const auto step = hn::Load(f, scale + c), b = hn::Load(f, bias + c);
#pragma GCC unroll 16
    for (int p = 0; p < pixels; ++p) {
      put(f, hn::Max(hn::MulAdd(hn::ConvertTo(f, sums[p][v]), step, b), hn::Zero(f)),
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
        for (int x = 0; x < s.out_width; x += kPixels) {
          pixels_directly<in_channels, kPixels>(in + static_cast<size_t>(2 * y) * in_row + 2 * x * in_channels, in_row,
                                                weight, conv.scale + column, conv.bias + column,
                                                to + static_cast<size_t>(y) * out_row +
                                                    static_cast<size_t>(x) * channels + column,
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
