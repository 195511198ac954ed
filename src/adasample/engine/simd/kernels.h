// SPDX-License-Identifier: Apache-2.0
// The arithmetic of this folder, compiled once for each instruction set.
#pragma once

#include <vector>

#include "adasample/engine/simd/conv_shape.h"

namespace adasample::simd {

struct Kernels {
  const char* name;                    // of the instruction set
  int panel_width, panel_width_int16;  // columns; see pack.h

  // A patch with a border of zeros -> the first layer's result with a border; weights (9, channels), then the bias.
  void (*first)(const float* in, int width, const float* weights, int channels, float* out);
  void (*first_to_bytes)(const float* in, int width, const float* weights, int channels, uint8_t* out);

  // in has a border, out one of `border` pixels and `out_apart` numbers to the next patch; values: memory, see
  // winograd_memory.h.
  void (*convolve)(const FloatConv& conv, const float* in, int patches, float* out, int border, size_t out_apart,
                   float* values);
  void (*convolve_bytes)(const ByteConv& conv, const uint8_t* in, int patches, uint8_t* out, int border,
                         size_t out_apart, int16_t* values);
  void (*convolve_bytes_to_floats)(const ByteConv& conv, const uint8_t* in, int patches, float* out, int border,
                                   size_t out_apart, int16_t* values);
  // Stride 2 without Winograd's points. Null where the machine has no products of bytes that cannot saturate.
  void (*convolve_directly)(const DirectConv& conv, const uint8_t* in, int patches, uint8_t* out, int border,
                            size_t out_apart);

  // out (patches, 128) = in (patches, 8192) weights + bias: the layer that covers its whole input.
  void (*last)(const float* in, int patches, const float* weights, const float* bias, float* out);
  // The same in 16 bits; each patch is taken to `small` in steps of its own. scale (128): what a step of the weights
  // is.
  void (*last_int16)(const float* in, int patches, int16_t* small, const int16_t* weights, const float* scale,
                     const float* bias, float* out);
  // And in 8 bits. Null where convolve_directly is.
  void (*last_int8)(const float* in, int patches, uint8_t* small, const int8_t* weights, const float* scale,
                    const float* bias, float* out);
};

inline constexpr int kLastDepth = 8192, kLastColumns = 128;
inline constexpr int kLastStride =
    kLastDepth + 16;  // from one patch to the next: else all would fall into the same lines of the cache
inline constexpr int kLastAtOnce = 256;     // rows of the weights that are packed together
inline constexpr int kMostPatches = 16;     // of a call of last_int16
inline constexpr int kLargestSmall = 4095;  // of last_int16's input

// Of every instruction set that this machine has, best first; none: a machine without SSE 4 or NEON.
std::vector<const Kernels*> all_kernels();
// The best of them, or that ADASAMPLE_MAX_ISA allows: "avx512_vnni", "avx512", "avx2" or "sse4". Null where there is
// none.
const Kernels* best_kernels();

}  // namespace adasample::simd
