// SPDX-License-Identifier: Apache-2.0
// A 3x3 convolution of a few patches, forward and backward, by Winograd's transforms (transforms.h) around matrix
// products (product.h): inputs -> points, one product for each point, points -> outputs. Backward is the adjoint of
// that, step by step, and shares the outputs' points between both gradients.
#pragma once

#include "adasample/train/pass/inputs.h"
#include "adasample/train/pass/product.h"
#include "adasample/train/pass/transforms.h"

namespace adasample::pass {

// Between a point and the next, of `tiles` tiles: not a power of two, which would put all of a tile's points into the
// same set of the cache.
inline int64_t point_step(int channels, int tiles) { return int64_t{channels} * tiles + kBlock / 2; }

// (rows, columns) numbers at x -> points at p; both are spread out in memory.
template <typename V, typename T>
ADA_LANES void plane_points(const float* x, int64_t row, int64_t column, float* p, int64_t step) {
  V half[T::kPoints][T::kSamples], in[T::kSamples], out[T::kPoints];
  ADA_UNROLL for (int j = 0; j < T::kSamples; ++j) {
    ADA_UNROLL for (int i = 0; i < T::kSamples; ++i) load(x + i * row + j * column, in[i]);
    T::points(in, out);
    ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) half[i][j] = out[i];
  }
  ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) {
    T::points(half[i], out);
    ADA_UNROLL for (int j = 0; j < T::kPoints; ++j) store(out[j], p + (i * T::kPoints + j) * step);
  }
}

template <typename V, typename T>
ADA_LANES void add_plane_points_adjoint(const float* p, int64_t step, float* x, int64_t row, int64_t column) {
  V half[T::kSamples][T::kPoints], in[T::kPoints], out[T::kSamples];
  ADA_UNROLL for (int j = 0; j < T::kPoints; ++j) {
    ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) load(p + (i * T::kPoints + j) * step, in[i]);
    T::points_adjoint(in, out);
    ADA_UNROLL for (int i = 0; i < T::kSamples; ++i) half[i][j] = out[i];
  }
  ADA_UNROLL for (int i = 0; i < T::kSamples; ++i) {
    T::points_adjoint(half[i], out);
    ADA_UNROLL for (int j = 0; j < T::kSamples; ++j) add_to(out[j], x + i * row + j * column);
  }
}

template <typename V, typename T>
ADA_LANES void plane_outputs(const float* p, int64_t step, V (&y)[kOutputs][kOutputs]) {
  V half[kOutputs][T::kPoints], in[T::kPoints], out[kOutputs];
  ADA_UNROLL for (int j = 0; j < T::kPoints; ++j) {
    ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) load(p + (i * T::kPoints + j) * step, in[i]);
    T::outputs(in, out);
    ADA_UNROLL for (int i = 0; i < kOutputs; ++i) half[i][j] = out[i];
  }
  ADA_UNROLL for (int i = 0; i < kOutputs; ++i) T::outputs(half[i], y[i]);
}

template <typename V, typename T>
ADA_LANES void plane_outputs_adjoint(const V (&y)[kOutputs][kOutputs], float* p, int64_t step) {
  V half[T::kPoints][kOutputs], in[kOutputs], out[T::kPoints];
  ADA_UNROLL for (int j = 0; j < kOutputs; ++j) {
    ADA_UNROLL for (int i = 0; i < kOutputs; ++i) in[i] = y[i][j];
    T::outputs_adjoint(in, out);
    ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) half[i][j] = out[i];
  }
  ADA_UNROLL for (int i = 0; i < T::kPoints; ++i) {
    T::outputs_adjoint(half[i], out);
    ADA_UNROLL for (int j = 0; j < T::kPoints; ++j) store(out[j], p + (i * T::kPoints + j) * step);
  }
}

// Where tile t of a patch begins in its padded input, in numbers.
template <typename T>
ADA_LANES int64_t tile_start(const Layer& layer, int t) {
  return (int64_t{t / layer.across()} * T::kStep * (layer.width + 2) + t % layer.across() * T::kStep) * layer.in;
}

// The place of channel c of tile t among the points.
ADA_LANES int64_t point_place(int c, int t, int tiles) {
  return (int64_t{c / kBlock} * tiles + t) * kBlock + c % kBlock;
}

// Inputs of a block of patches, padded, and their points.
template <typename V, typename T>
ADA_LANES void read_points(const Layer& layer, const Source& source, int64_t first, int count, const Scratch& scratch) {
  const int tiles = count * layer.tiles();
  const int64_t step = point_step(layer.in, tiles), row = int64_t{layer.width + 2} * layer.in;
  for (int i = 0; i < count; ++i) {
    float* padded = scratch.inputs + int64_t{i} * layer.padded();
    read_input<V>(source, layer, first + i, padded);
    for (int t = 0; t < layer.tiles(); ++t) {
      const float* at = padded + tile_start<T>(layer, t);
      for (int c = 0; c < layer.in; c += kLanes<V>) {
        plane_points<V, T>(at + c, row, layer.in, scratch.left + point_place(c, i * layer.tiles() + t, tiles), step);
      }
    }
  }
}

template <typename V, typename T>
ADA_LANES void convolve(const Forward& f, int64_t first, int count, const Scratch& scratch, double* moments) {
  const Layer& layer = f.layer;
  read_points<V, T>(layer, f.source, first, count, scratch);
  const int tiles = count * layer.tiles();
  const int64_t in_step = point_step(layer.in, tiles), step = point_step(layer.out, tiles);
  for (int p = 0; p < T::kPoints * T::kPoints; ++p) {
    for (int c = 0; c < layer.out; c += kBlock) {
      product<V, Along::kDepth>(tiles, scratch.left + p * in_step, int64_t{tiles} * kBlock,
                                f.weights + (int64_t{p} * layer.out + c) * layer.in, kBlock * kBlock, layer.in / kBlock,
                                kBlock, scratch.right + p * step + int64_t{c} * tiles, false);
    }
  }
  const int64_t row = int64_t{layer.out_width} * layer.out;
  ChannelSums deviations;
  for (int i = 0; i < count; ++i) {
    for (int t = 0; t < layer.tiles(); ++t) {
      float* to = f.sums + ((first + i) * layer.out_width + t / layer.across() * kOutputs) * row +
                  t % layer.across() * kOutputs * layer.out;
      for (int c = 0; c < layer.out; c += kLanes<V>) {
        V y[kOutputs][kOutputs], expected, sum = {}, squares = {};
        plane_outputs<V, T>(scratch.right + point_place(c, i * layer.tiles() + t, tiles), step, y);
        load(f.expected + c, expected);
        ADA_UNROLL for (int a = 0; a < kOutputs; ++a) {
          ADA_UNROLL for (int b = 0; b < kOutputs; ++b) {
            store(y[a][b], to + a * row + b * layer.out + c);
            const V deviation = y[a][b] - expected;
            sum += deviation;
            squares += deviation * deviation;
          }
        }
        deviations.add(c, sum, squares);
      }
    }
  }
  deviations.finish(layer.out, moments);
}

// Gradient of a patch's sums, through batch norm. In one go over memory, which the tiles' order would not be.
template <typename V>
ADA_LANES void read_gradient(const Backward& b, int64_t patch, float* __restrict__ to) {
  const int out = b.layer.out;
  const int64_t pixels = int64_t{b.layer.out_width} * b.layer.out_width, begin = patch * pixels * out;
  const float* __restrict__ gradients = b.gradient + begin, * __restrict__ sums = b.sums + begin;
  for (int64_t pixel = 0; pixel < pixels; ++pixel, gradients += out, sums += out, to += out) {
    for (int c = 0; c < out; c += kLanes<V>) {
      V alpha, beta, gamma, gradient, sum;
      load(b.alpha + c, alpha);
      load(b.beta + c, beta);
      load(b.gamma + c, gamma);
      load(gradients + c, gradient);
      load(sums + c, sum);
      gradient = alpha * gradient + (beta * sum + gamma);
      store(gradient, to + c);
    }
  }
}

// The same as points of the outputs.
template <typename V, typename T>
ADA_LANES void gradient_points(const Backward& b, int64_t first, int count, const Scratch& scratch) {
  const Layer& layer = b.layer;
  const int tiles = count * layer.tiles();
  const int64_t step = point_step(layer.out, tiles), row = int64_t{layer.out_width} * layer.out;
  for (int i = 0; i < count; ++i) {
    float* of_sums = scratch.gradient;  // not smaller than this
    read_gradient<V>(b, first + i, of_sums);
    for (int t = 0; t < layer.tiles(); ++t) {
      const float* at = of_sums + (t / layer.across() * row + t % layer.across() * layer.out) * kOutputs;
      for (int c = 0; c < layer.out; c += kLanes<V>) {
        V y[kOutputs][kOutputs];
        ADA_UNROLL for (int y0 = 0; y0 < kOutputs; ++y0) {
          ADA_UNROLL for (int x0 = 0; x0 < kOutputs; ++x0) load(at + y0 * row + x0 * layer.out + c, y[y0][x0]);
        }
        plane_outputs_adjoint<V, T>(y, scratch.right + point_place(c, i * layer.tiles() + t, tiles), step);
      }
    }
  }
}

template <typename V, typename T>
ADA_LANES void convolve_back(const Backward& b, int64_t first, int count, const Scratch& scratch, float* weight_points,
                             double* moments) {
  const Layer& layer = b.layer;
  read_points<V, T>(layer, b.source, first, count, scratch);
  gradient_points<V, T>(b, first, count, scratch);
  const int tiles = count * layer.tiles();
  const int64_t in_step = point_step(layer.in, tiles), step = point_step(layer.out, tiles);
  for (int p = 0; p < T::kPoints * T::kPoints; ++p) {
    float* left = scratch.left + p * in_step;
    const float* right = scratch.right + p * step;
    for (int o = 0; o < layer.out; o += kBlock) {
      for (int i = 0; i < layer.in; i += kBlock) {
        product<V, Along::kRows>(kBlock, left + int64_t{i} * tiles, 0, right + int64_t{o} * tiles, 0, 1, tiles,
                                 weight_points + (int64_t{p} * layer.out + o) * layer.in + i * kBlock, true);
      }
    }
    for (int i = 0; i < layer.in; i += kBlock) {  // over the inputs' points, which nobody needs any more
      product<V, Along::kDepth>(tiles, right, int64_t{tiles} * kBlock,
                                b.weights_back + (int64_t{p} * layer.in + i) * layer.out, kBlock * kBlock,
                                layer.out / kBlock, kBlock, left + int64_t{i} * tiles, false);
    }
  }
  const int64_t row = int64_t{layer.width + 2} * layer.in;
  for (int i = 0; i < count; ++i) {
    clear<V>(scratch.gradient, layer.padded());
    for (int t = 0; t < layer.tiles(); ++t) {
      float* at = scratch.gradient + tile_start<T>(layer, t);
      for (int c = 0; c < layer.in; c += kLanes<V>) {
        add_plane_points_adjoint<V, T>(scratch.left + point_place(c, i * layer.tiles() + t, tiles), in_step, at + c,
                                       row, layer.in);
      }
    }
    const float* padded = scratch.inputs + int64_t{i} * layer.padded();
    if (b.source.images != nullptr) {
      use_first_gradient<V>(b.source.images + (first + i) * kPitch * kPitch, padded, scratch.gradient, moments);
    } else {
      write_gradient<V>(layer, padded, scratch.gradient,
                        b.source_gradient + (first + i) * layer.width * layer.width * layer.in, moments);
    }
  }
}

}  // namespace adasample::pass
