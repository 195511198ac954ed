// SPDX-License-Identifier: Apache-2.0
// Weights as the kernels read them: taken to Winograd's points, and in panels of as many columns as the machine
// multiplies at once: (out / width, points, in, width) floats, or (out / width, points, in / 2, width, 2) integers.
#pragma once

#include <cstdint>
#include <vector>

#include "adasample/engine/simd/conv_shape.h"

namespace adasample::simd {

// weight: (out, in, 3, 3)
void pack(const ConvShape& shape, const float* weight, int panel_width, float* packed);

// Activations in, bytes in steps of source_step; out, in steps of result_step. Each sum of products stays within 32
// bits for whatever bytes come.
void pack_int16(const ConvShape& shape, const float* weight, float source_step, float result_step, int panel_width,
                int16_t* packed, float* scale);

// For DirectConv: bytes in steps for each output channel, (out / width, 3 rows, 3 * in / 4, width, 4).
void pack_int8(const ConvShape& shape, const float* weight, float source_step, float result_step, int panel_width,
               int8_t* packed, float* scale);

// The last layer: weight (out, in, 8, 8) for activations channels last.
void pack_last(const float* weight, int in_channels, int width, int panel_width, float* packed);
// In steps of scale (out); each sum over kLastAtOnce products with numbers up to kLargestSmall stays within 32 bits.
void pack_last_int16(const float* weight, int in_channels, int width, int panel_width, int16_t* packed, float* scale);
// The same for bytes.
void pack_last_int8(const float* weight, int in_channels, int width, int panel_width, int8_t* packed, float* scale);

// How large a number at each point can become, with bytes for input: (points)
std::vector<double> largest_values(const ConvShape& shape);

}  // namespace adasample::simd
