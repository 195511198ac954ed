// SPDX-License-Identifier: Apache-2.0
// The last layer, whose kernel covers its input: a product for each pixel, like those of Winograd's points, summed.
#pragma once

#include "adasample/train/pass/convolution.h"

namespace adasample::pass {

// Input of a block of patches, dropped out, by pixel: [pixel][channel block][patch][32].
template <typename V>
ADA_LANES void read_last(const Last& last, int64_t first, int count, const Scratch& scratch) {
  const int64_t step = point_step(Last::kIn, count);
  for (int i = 0; i < count; ++i) {
    const int64_t begin = (first + i) * Last::kPixels * Last::kIn;
    for (int pixel = 0; pixel < Last::kPixels; ++pixel) {
      for (int c = 0; c < Last::kIn; c += kLanes<V>) {
        const int64_t at = begin + pixel * Last::kIn + c;
        V value, scale, shift;
        load(last.source.sums + at, value);
        load(last.source.scale + c, scale);
        load(last.source.shift + c, shift);
        value = value * scale + shift;
        V kept = value < 0 ? V{} : value;
        if (last.dropout != nullptr) {
          V factor;
          load(last.dropout + at, factor);
          kept *= factor;
        }
        store(kept, scratch.left + pixel * step + point_place(c, i, count));
      }
    }
  }
}

template <typename V>
ADA_LANES void last_layer(const Last& last, int64_t first, int count, const Scratch& scratch) {
  read_last<V>(last, first, count, scratch);
  const int64_t step = point_step(Last::kIn, count);
  for (int c = 0; c < Last::kOut; c += kBlock) {
    for (int pixel = 0; pixel < Last::kPixels; ++pixel) {
      product<V, Along::kDepth>(count, scratch.left + pixel * step, int64_t{count} * kBlock,
                                last.weights + (int64_t{pixel} * Last::kOut + c) * Last::kIn, kBlock * kBlock,
                                Last::kIn / kBlock, kBlock, scratch.right + int64_t{c} * count, pixel > 0);
    }
  }
  for (int i = 0; i < count; ++i) {
    for (int c = 0; c < Last::kOut; c += kLanes<V>) {
      V sums;
      load(scratch.right + point_place(c, i, count), sums);
      store(sums, last.sums + (first + i) * Last::kOut + c);
    }
  }
}

template <typename V>
ADA_LANES void last_layer_back(const Last& last, int64_t first, int count, const Scratch& scratch, float* weight_points,
                               double* moments) {
  read_last<V>(last, first, count, scratch);
  const int64_t step = point_step(Last::kIn, count);
  for (int i = 0; i < count; ++i) {
    for (int c = 0; c < Last::kOut; c += kLanes<V>) {
      V gradient;
      load(last.gradient + (first + i) * Last::kOut + c, gradient);
      store(gradient, scratch.right + point_place(c, i, count));
    }
  }
  for (int pixel = 0; pixel < Last::kPixels; ++pixel) {
    float* left = scratch.left + pixel * step;
    for (int o = 0; o < Last::kOut; o += kBlock) {
      for (int i = 0; i < Last::kIn; i += kBlock) {
        product<V, Along::kRows>(kBlock, left + int64_t{i} * count, 0, scratch.right + int64_t{o} * count, 0, 1, count,
                                 weight_points + (int64_t{pixel} * Last::kOut + o) * Last::kIn + i * kBlock, true);
      }
    }
    for (int i = 0; i < Last::kIn; i += kBlock) {
      product<V, Along::kDepth>(count, scratch.right, int64_t{count} * kBlock,
                                last.weights_back + (int64_t{pixel} * Last::kIn + i) * Last::kOut, kBlock * kBlock,
                                Last::kOut / kBlock, kBlock, left + int64_t{i} * count, false);
    }
  }
  for (int i = 0; i < count; ++i) {
    ChannelSums sums;
    for (int pixel = 0; pixel < Last::kPixels; ++pixel) {
      for (int c = 0; c < Last::kIn; c += kLanes<V>) {
        const int64_t at = ((first + i) * Last::kPixels + pixel) * Last::kIn + c;
        V value, scale, shift, gradient;
        load(last.source.sums + at, value);
        load(last.source.scale + c, scale);
        load(last.source.shift + c, shift);
        value = value * scale + shift;
        load(scratch.left + pixel * step + point_place(c, i, count), gradient);
        if (last.dropout != nullptr) {
          V factor;
          load(last.dropout + at, factor);
          gradient *= factor;
        }
        gradient = value > 0 ? gradient : V{};
        const V product = gradient * value;
        sums.add(c, gradient, product);
        store(gradient, last.source_gradient + at);
      }
    }
    sums.finish(Last::kIn, moments);
  }
}

}  // namespace adasample::pass
