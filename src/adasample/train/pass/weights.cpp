// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/pass/weights.h"

#include "adasample/train/pass/lanes.h"
#include "adasample/train/pass/transforms.h"

namespace adasample::pass {
namespace {

// 3x3 weights of 32 channels -> points that lie `step` apart: G w G'.
template <typename T>
void weight_points(const float (&w)[3][3][kBlock], float* points, int64_t step) {
  for (int i = 0; i < T::kPoints; ++i) {
    float half[3][kBlock] = {};
    for (int k = 0; k < 3; ++k) {
      const auto g = static_cast<float>(T::kWeights[i][k]);
      if (g == 0) continue;
      for (int x = 0; x < 3; ++x) {
        for (int c = 0; c < kBlock; ++c) half[x][c] += g * w[k][x][c];
      }
    }
    for (int j = 0; j < T::kPoints; ++j) {
      float sum[kBlock] = {};
      for (int x = 0; x < 3; ++x) {
        const auto g = static_cast<float>(T::kWeights[j][x]);
        if (g == 0) continue;
        for (int c = 0; c < kBlock; ++c) sum[c] += g * half[x][c];
      }
      float* to = points + (i * T::kPoints + j) * step;
      for (int c = 0; c < kBlock; ++c) to[c] = sum[c];
    }
  }
}

// The adjoint of that: G' p G.
template <typename T>
void weight_gradient(const float* points, int64_t step, float (&w)[3][3][kBlock]) {
  for (auto& row : w) {
    for (auto& tap : row) {
      for (float& value : tap) value = 0;
    }
  }
  for (int i = 0; i < T::kPoints; ++i) {
    float half[3][kBlock] = {};
    for (int j = 0; j < T::kPoints; ++j) {
      const float* from = points + (i * T::kPoints + j) * step;
      for (int x = 0; x < 3; ++x) {
        const auto g = static_cast<float>(T::kWeights[j][x]);
        if (g == 0) continue;
        for (int c = 0; c < kBlock; ++c) half[x][c] += g * from[c];
      }
    }
    for (int k = 0; k < 3; ++k) {
      const auto g = static_cast<float>(T::kWeights[i][k]);
      if (g == 0) continue;
      for (int x = 0; x < 3; ++x) {
        for (int c = 0; c < kBlock; ++c) w[k][x][c] += g * half[x][c];
      }
    }
  }
}

template <typename T>
void pack_points(const Layer& layer, const float* weights, Share share, float* forward, float* back) {
  const int64_t step = int64_t{layer.in} * layer.out;
  float w[3][3][kBlock];
  for (int i = share.begin(layer.in); i < share.end(layer.in); ++i) {
    for (int o = 0; o < layer.out; o += kBlock) {
      for (int tap = 0; tap < kTaps; ++tap) {
        for (int c = 0; c < kBlock; ++c) {
          w[tap / 3][tap % 3][c] = weights[(int64_t{o + c} * kTaps + tap) * layer.in + i];
        }
      }
      weight_points<T>(w, forward + int64_t{o} * layer.in + i * kBlock, step);
    }
  }
  for (int o = share.begin(layer.out); o < share.end(layer.out); ++o) {
    for (int i = 0; i < layer.in; i += kBlock) {
      for (int tap = 0; tap < kTaps; ++tap) {
        for (int c = 0; c < kBlock; ++c) {
          w[tap / 3][tap % 3][c] = weights[(int64_t{o} * kTaps + tap) * layer.in + i + c];
        }
      }
      weight_points<T>(w, back + int64_t{i} * layer.out + o * kBlock, step);
    }
  }
}

template <typename T>
void unpack_points(const Layer& layer, const float* points, Share share, float* gradient) {
  const int64_t step = int64_t{layer.in} * layer.out;
  float w[3][3][kBlock];
  for (int i = share.begin(layer.in); i < share.end(layer.in); ++i) {
    for (int o = 0; o < layer.out; o += kBlock) {
      weight_gradient<T>(points + int64_t{o} * layer.in + i * kBlock, step, w);
      for (int tap = 0; tap < kTaps; ++tap) {
        for (int c = 0; c < kBlock; ++c) {
          gradient[(int64_t{o + c} * kTaps + tap) * layer.in + i] = w[tap / 3][tap % 3][c];
        }
      }
    }
  }
}

}  // namespace

void pack(const Layer& layer, const float* weights, Share share, float* forward, float* back) {
  if (layer.stride == 1) {
    pack_points<Stride1>(layer, weights, share, forward, back);
  } else {
    pack_points<Stride2>(layer, weights, share, forward, back);
  }
}

void unpack(const Layer& layer, const float* points, Share share, float* gradient) {
  if (layer.stride == 1) {
    unpack_points<Stride1>(layer, points, share, gradient);
  } else {
    unpack_points<Stride2>(layer, points, share, gradient);
  }
}

void pack_last(const float* weights, Share share, float* forward, float* back) {
  constexpr int kIn = Last::kIn, kOut = Last::kOut, kPixels = Last::kPixels;
  for (int pixel = share.begin(kPixels); pixel < share.end(kPixels); ++pixel) {
    float *to = forward + int64_t{pixel} * kIn * kOut, *to_back = back + int64_t{pixel} * kIn * kOut;
    for (int o = 0; o < kOut; ++o) {
      const float* from = weights + (int64_t{o} * kPixels + pixel) * kIn;
      for (int i = 0; i < kIn; ++i) {
        to[(o / kBlock * kIn + i) * kBlock + o % kBlock] = from[i];
        to_back[(i / kBlock * kOut + o) * kBlock + i % kBlock] = from[i];
      }
    }
  }
}

void unpack_last(const float* points, Share share, float* gradient) {
  constexpr int kIn = Last::kIn, kOut = Last::kOut, kPixels = Last::kPixels;
  for (int pixel = share.begin(kPixels); pixel < share.end(kPixels); ++pixel) {
    const float* from = points + int64_t{pixel} * kIn * kOut;
    for (int o = 0; o < kOut; ++o) {
      float* to = gradient + (int64_t{o} * kPixels + pixel) * kIn;
      for (int i = 0; i < kIn; ++i) to[i] = from[(o / kBlock * kIn + i) * kBlock + o % kBlock];
    }
  }
}

}  // namespace adasample::pass
