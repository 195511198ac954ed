// SPDX-License-Identifier: Apache-2.0
// What a pass (net_pass.h) does to a few patches of one layer, chosen by the machine. Layouts:
//   sums      (patch, y, x, channel), of a convolution before batch norm; gradients alike
//   points    [point][channel block][tile][32], of a block of patches: the numbers that Winograd multiplies
//   weights   [point][output block][input][32], and [point][input block][output][32] for the way back
#pragma once

#include <cstdint>
#include <string>

namespace adasample::pass {

enum class Machine { kAny, kAvx2, kAvx512 };

// The best that this processor has. ADASAMPLE_MAX_ISA lowers it as it lowers the engine simd, and ONEDNN_MAX_CPU_ISA as
// it lowers oneDNN.
Machine machine_here();
std::string to_string(Machine machine);

inline constexpr int kImage = 32, kPitch = kImage + 2, kTaps = 9;  // a patch with its border of zeros: kPitch^2

// A 3x3 convolution.
struct Layer {
  int in = 0, out = 0, width = 0, out_width = 0, stride = 0;
  int block = 0;  // patches at a time: their points fit the cache
  int across() const { return out_width / 4; }
  int tiles() const { return across() * across(); }  // in a patch
  int points() const { return stride == 1 ? 36 : 81; }
  int padded() const { return (width + 2) * (width + 2) * in; }  // numbers of a patch's input with its border
};

// Where a layer's input comes from: max(0, scale * sums + shift); or from the images, with the first layer folded,
// whose results are never stored.
struct Source {
  const float* sums = nullptr;
  const float *scale = nullptr, *shift = nullptr;  // by channel
  const float* images = nullptr;                   // (m, kPitch, kPitch)
  const float* folded = nullptr;                   // (kTaps + 1, 32): weights by tap, then shift
};

// Of one thread.
struct Scratch {
  float* inputs = nullptr;    // of a block's patches, padded
  float* gradient = nullptr;  // of one such input
  float* left = nullptr;      // points of the inputs, later of their gradient
  float* right = nullptr;     // points of the outputs
};

struct Forward {
  Layer layer = {};
  Source source = {};
  const float* weights = nullptr;
  float* sums = nullptr;            // out
  const float* expected = nullptr;  // about the mean of each channel: deviations from it are summed
};

struct Backward {
  Layer layer = {};
  Source source = {};
  const float* weights_back = nullptr;
  // Gradient of the sums = alpha * gradient + beta * sums + gamma, by channel.
  const float *sums = nullptr, *gradient = nullptr, *alpha = nullptr, *beta = nullptr, *gamma = nullptr;
  float* source_gradient = nullptr;  // out: of scale * sums + shift of the layer before, 0 where ReLU was
};

// The last layer: its kernel covers its input, 8x8 of 128 channels, and is a matrix.
struct Last {
  static constexpr int kIn = 128, kOut = 128, kPixels = 64, kBlockPatches = 32;
  Source source = {};
  const float* dropout = nullptr;                           // (m, kPixels * kIn) factors; null: none
  const float *weights = nullptr, *weights_back = nullptr;  // [pixel][block][..][32]
  float* sums = nullptr;                                    // (m, kOut): out, forward
  const float* gradient = nullptr;                          // of the sums
  float* source_gradient = nullptr;                         // as above
};

struct Kernels {
  // Patches [first, first + count). moments: (2, out) sums of deviations and of their squares, added to.
  void (*forward)(const Forward&, int64_t first, int count, const Scratch&, double* moments);
  // weight_points: gradient of the weights, laid out like them, added to. moments: (2, in), sums of the source gradient
  // and of its product with the input; (kTaps + 1, 32) where the source is the images: the gradient's products with
  // the image by tap, then its sum.
  void (*backward)(const Backward&, int64_t first, int count, const Scratch&, float* weight_points, double* moments);
  void (*last_forward)(const Last&, int64_t first, int count, const Scratch&);
  void (*last_backward)(const Last&, int64_t first, int count, const Scratch&, float* weight_points, double* moments);
  // Sums over the pixels of an image of its nine shifts and of their products. (kTaps + kTaps * kTaps), added to.
  void (*image_moments)(const float* image, double* moments);
};

const Kernels& kernels(Machine machine);

}  // namespace adasample::pass
