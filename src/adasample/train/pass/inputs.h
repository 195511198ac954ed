// SPDX-License-Identifier: Apache-2.0
// A layer's input, patch by patch: batch norm and ReLU of the sums before it while they are read, and the way back. The
// first layer is computed anew each time; that is cheaper than to store and to read its results.
#pragma once

#include <algorithm>

#include "adasample/train/pass/kernels.h"
#include "adasample/train/pass/lanes.h"

namespace adasample::pass {

template <typename V>
ADA_LANES void clear(float* at, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes<V>) store(V{}, at + i);
}

// Zeros around a padded plane of `channels`.
template <typename V>
ADA_LANES void clear_border(float* padded, int width, int channels) {
  const int64_t row = int64_t{width + 2} * channels;
  clear<V>(padded, row);
  clear<V>(padded + (width + 1) * row, row);
  for (int y = 1; y <= width; ++y) {
    clear<V>(padded + y * row, channels);
    clear<V>(padded + (y + 1) * row - channels, channels);
  }
}

template <typename V>
ADA_LANES void first_layer(const float* __restrict__ image, const float* __restrict__ folded,
                           float* __restrict__ padded) {
  constexpr int kPixels = kLanes<V> == 16 ? 8 : 4;  // that share the weights, which stay in registers
  for (int c = 0; c < kBlock; c += kLanes<V>) {
    V taps[kTaps], shift;
    ADA_UNROLL for (int tap = 0; tap < kTaps; ++tap) load(folded + tap * kBlock + c, taps[tap]);
    load(folded + kTaps * kBlock + c, shift);
    for (int y = 0; y < kImage; ++y) {
      for (int x = 0; x < kImage; x += kPixels) {
        V sums[kPixels];
        ADA_UNROLL for (int p = 0; p < kPixels; ++p) sums[p] = shift;
        ADA_UNROLL for (int tap = 0; tap < kTaps; ++tap) {
          const float* at = image + (y + tap / 3) * kPitch + x + tap % 3;
          ADA_UNROLL for (int p = 0; p < kPixels; ++p) sums[p] += taps[tap] * at[p];
        }
        ADA_UNROLL for (int p = 0; p < kPixels; ++p) {
          const V kept = sums[p] < 0 ? V{} : sums[p];  // so written, what is not a number stays
          store(kept, padded + ((y + 1) * kPitch + x + p + 1) * kBlock + c);
        }
      }
    }
  }
}

template <typename V>
ADA_LANES void read_input(const Source& source, const Layer& layer, int64_t patch, float* __restrict__ padded) {
  clear_border<V>(padded, layer.width, layer.in);
  if (source.images != nullptr) return first_layer<V>(source.images + patch * kPitch * kPitch, source.folded, padded);
  const int64_t row = int64_t{layer.width} * layer.in;
  const float* __restrict__ sums = source.sums + patch * layer.width * row;
  for (int y = 0; y < layer.width; ++y) {
    const float* from = sums + y * row;
    float* to = padded + (y + 1) * (row + 2 * layer.in) + layer.in;
    for (int x = 0; x < layer.width; ++x, from += layer.in, to += layer.in) {
      for (int c = 0; c < layer.in; c += kLanes<V>) {
        V value, scale, shift;
        load(from + c, value);
        load(source.scale + c, scale);
        load(source.shift + c, shift);
        value = value * scale + shift;
        const V kept = value < 0 ? V{} : value;
        store(kept, to + c);
      }
    }
  }
}

template <typename V>
ADA_LANES void add_lanes(const V& from, double* to) {
  for (int i = 0; i < kLanes<V>; ++i) to[i] += static_cast<double>(from[i]);
}

// Two sums for each channel over some pixels of few patches, which single precision can hold; then they are added to
// those of the whole batch, (2, channels) in double.
struct ChannelSums {
  static constexpr int kMost = 128;
  alignas(64) float first[kMost] = {}, second[kMost] = {};

  template <typename V>
  ADA_LANES void add(int c, const V& to_first, const V& to_second) {
    add_to(to_first, first + c);
    add_to(to_second, second + c);
  }
  ADA_LANES void finish(int channels, double* moments) const {
    for (int c = 0; c < channels; ++c) {
      moments[c] += static_cast<double>(first[c]);
      moments[channels + c] += static_cast<double>(second[c]);
    }
  }
};

// ReLU backwards: writes the gradient where the input is positive, 0 elsewhere, and sums it and its product with the
// input (which there is what batch norm made). moments: (2, in).
template <typename V>
ADA_LANES void write_gradient(const Layer& layer, const float* __restrict__ padded,
                              const float* __restrict__ padded_gradient, float* __restrict__ gradient,
                              double* moments) {
  const int64_t row = int64_t{layer.width} * layer.in;
  ChannelSums sums;
  for (int y = 0; y < layer.width; ++y) {  // a row of all channels stays in the nearest cache
    const int64_t begin = (y + 1) * (row + 2 * layer.in) + layer.in;
    for (int c = 0; c < layer.in; c += kLanes<V>) {
      V sum = {}, product = {};
      for (int x = 0; x < layer.width; ++x) {
        V input, g;
        load(padded + begin + x * layer.in + c, input);
        load(padded_gradient + begin + x * layer.in + c, g);
        g = input > 0 ? g : V{};
        sum += g;
        product += g * input;
        store(g, gradient + y * row + x * layer.in + c);
      }
      sums.add(c, sum, product);
    }
  }
  sums.finish(layer.in, moments);
}

// The same for the first layer, whose gradient is used up at once. moments: (kTaps + 1, 32).
template <typename V>
ADA_LANES void use_first_gradient(const float* __restrict__ image, const float* __restrict__ padded,
                                  const float* __restrict__ padded_gradient, double* moments) {
  for (int c = 0; c < kBlock; c += kLanes<V>) {
    V taps[kTaps], sum = {};
    ADA_UNROLL for (int tap = 0; tap < kTaps; ++tap) taps[tap] = V{};
    for (int y = 0; y < kImage; ++y) {
      for (int x = 0; x < kImage; ++x) {
        const int64_t at = ((y + 1) * kPitch + x + 1) * kBlock + c;
        V input, g;
        load(padded + at, input);
        load(padded_gradient + at, g);
        g = input > 0 ? g : V{};
        sum += g;
        ADA_UNROLL for (int tap = 0; tap < kTaps; ++tap) {
          taps[tap] += g * image[(y + tap / 3) * kPitch + x + tap % 3];
        }
      }
    }
    ADA_UNROLL for (int tap = 0; tap < kTaps; ++tap) add_lanes(taps[tap], moments + tap * kBlock + c);
    add_lanes(sum, moments + kTaps * kBlock + c);
  }
}

template <typename V>
ADA_LANES void add_image_moments(const float* image, double* moments) {
  for (int a = 0; a < kTaps; ++a) {
    V sums = {};
    V products[kTaps] = {};
    for (int y = 0; y < kImage; ++y) {
      for (int x = 0; x < kImage; x += kLanes<V>) {
        V one;
        load(image + (y + a / 3) * kPitch + x + a % 3, one);
        sums += one;
        for (int b = 0; b < kTaps; ++b) {
          V other;
          load(image + (y + b / 3) * kPitch + x + b % 3, other);
          products[b] += one * other;
        }
      }
    }
    for (int i = 0; i < kLanes<V>; ++i) {
      moments[a] += static_cast<double>(sums[i]);
      for (int b = 0; b < kTaps; ++b) moments[kTaps + a * kTaps + b] += static_cast<double>(products[b][i]);
    }
  }
}

}  // namespace adasample::pass
