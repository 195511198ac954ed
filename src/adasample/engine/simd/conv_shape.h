// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder are told: sizes, packed weights, memory to work in.
// Activations are channels last, (patches, width + 2 border, width + 2 border, channels); a border of zeros is the
// padding of the layer that reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "adasample/engine/simd/transforms.h"

namespace adasample::simd {

inline constexpr int kBorder = 1;

// A convolution of 3x3 with padding 1, bias and ReLU.
struct ConvShape {
  int in_channels, out_channels, stride, out_width;

  const Transform& transform() const { return transform_of(stride); }
  int points() const { return transform().points * transform().points; }
  int in_width() const { return stride * out_width; }
  int tiles_per_row() const { return out_width / kTile; }
  size_t in_row() const { return static_cast<size_t>((in_width() + 2 * kBorder) * in_channels); }
  size_t in_patch() const { return in_row() * static_cast<size_t>(in_width() + 2 * kBorder); }
  size_t out_patch(int border) const {
    const int width = out_width + 2 * border;
    return static_cast<size_t>(width * width * out_channels);
  }
  size_t weights() const { return static_cast<size_t>(points()) * static_cast<size_t>(in_channels * out_channels); }
};

struct FloatConv {
  ConvShape shape;
  const float* weight;  // see pack.h
  const float* bias;    // (out)
};

// Bytes in; sums of products of 16 bits.
struct ByteConv {
  ConvShape shape;
  const int16_t* weight;
  const float* scale;  // (points, out): what one of the sums stands for in the result
  const float* bias;
};

// Bytes in; sums of products of bytes, without Winograd's points. Stride 2 alone, out_width a multiple of 8.
struct DirectConv {
  ConvShape shape;
  const int8_t* weight;
  const float* scale;  // (out): what one of the sums stands for in the result
  const float* bias;
};

}  // namespace adasample::simd
