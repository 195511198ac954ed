// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/onednn/first_conv.h"

#include <algorithm>

#include "adasample/base/error.h"

// Into each of the functions below, whose machine the surrounding code does not know of.
#define ADA_INLINE __attribute__((always_inline))

namespace adasample {
namespace {

constexpr int kSize = 32, kPitch = kSize + 2, kChannels = 32, kTaps = 9;

// Sixteen channels: a register, or as many as the machine needs for it.
using Channels = float __attribute__((vector_size(64)));
using Integers = int32_t __attribute__((vector_size(64)));
using Bytes = uint8_t __attribute__((vector_size(16)));
constexpr int kHalf = 16, kPixels = 8;  // pixels that share the weights' loads

inline ADA_INLINE void load_channels(const float* from, Channels& to) { __builtin_memcpy(&to, from, sizeof to); }

// input: a patch with a border of zeros; put(pixel, half, sums of its sixteen channels).
template <typename Put>
inline ADA_INLINE void convolve_patch(const float* __restrict__ input, const float* __restrict__ weights,
                                      const Put& put) {
  for (int half = 0; half < 2; ++half) {
    const float* w = weights + half * kHalf;
    Channels taps[kTaps];
    for (int tap = 0; tap < kTaps; ++tap) load_channels(w + tap * kChannels, taps[tap]);
    Channels bias;
    load_channels(w + kTaps * kChannels, bias);
    for (int y = 0; y < kSize; ++y) {
      for (int x = 0; x < kSize; x += kPixels) {
        Channels sums[kPixels];
        for (int p = 0; p < kPixels; ++p) sums[p] = bias;
        for (int tap = 0; tap < kTaps; ++tap) {
          const float* at = input + (y + tap / 3) * kPitch + x + tap % 3;
          for (int p = 0; p < kPixels; ++p) sums[p] += taps[tap] * at[p];
        }
        for (int p = 0; p < kPixels; ++p) put(y * kSize + x + p, half, sums[p]);
      }
    }
  }
}

inline ADA_INLINE void to_floats(const float* input, const float* weights, float* out, int pixel_stride,
                                 int half_stride) {
  convolve_patch(input, weights, [=](int pixel, int half, const Channels& sums) ADA_INLINE {
    const Channels kept = sums > 0 ? sums : Channels{};
    __builtin_memcpy(out + pixel * pixel_stride + half * half_stride, &kept, sizeof kept);
  });
}

inline ADA_INLINE void to_bytes(const float* input, const float* weights, uint8_t* out) {
  convolve_patch(input, weights, [=](int pixel, int half, const Channels& sums) ADA_INLINE {
    const Channels kept = sums > 0 ? sums : Channels{}, most = Channels{} + 255;
    const Integers rounded = __builtin_convertvector((kept < most ? kept : most) + 0.5f, Integers);
    const Bytes bytes = __builtin_convertvector(rounded, Bytes);
    __builtin_memcpy(out + pixel * kChannels + half * kHalf, &bytes, sizeof bytes);
  });
}

struct Kernels {
  void (*floats)(const float*, const float*, float*, int, int);
  void (*bytes)(const float*, const float*, uint8_t*);
};

void floats_any(const float* i, const float* w, float* o, int p, int h) { to_floats(i, w, o, p, h); }
void bytes_any(const float* i, const float* w, uint8_t* o) { to_bytes(i, w, o); }
#ifdef __x86_64__
#define ADA_AVX2 __attribute__((target("avx2,fma")))
#define ADA_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))
ADA_AVX2 void floats_avx2(const float* i, const float* w, float* o, int p, int h) { to_floats(i, w, o, p, h); }
ADA_AVX2 void bytes_avx2(const float* i, const float* w, uint8_t* o) { to_bytes(i, w, o); }
ADA_AVX512 void floats_avx512(const float* i, const float* w, float* o, int p, int h) { to_floats(i, w, o, p, h); }
ADA_AVX512 void bytes_avx512(const float* i, const float* w, uint8_t* o) { to_bytes(i, w, o); }
constexpr Kernels kKernels[] = {{floats_any, bytes_any}, {floats_avx2, bytes_avx2}, {floats_avx512, bytes_avx512}};
#else
constexpr Kernels kKernels[] = {{floats_any, bytes_any}, {floats_any, bytes_any}, {floats_any, bytes_any}};
#endif

struct PaddedPatch {
  float values[kPitch * kPitch] = {};

  PaddedPatch(const uint8_t* patch, double epsilon) {
    float normalised[kSize * kSize];
    normalise_patch(patch, kSize, epsilon, normalised);
    for (int y = 0; y < kSize; ++y) std::copy_n(normalised + y * kSize, kSize, values + (y + 1) * kPitch + 1);
  }
};

}  // namespace

void FirstConv::refold(const FoldedLayer& layer, float step) {
  ADA_ASSERT(layer.shape.in_channels == 1 && layer.shape.out_channels == kChannels && layer.shape.kernel == 3 &&
             layer.shape.stride == 1 && layer.shape.padding == 1 && layer.shape.relu && table_->input_size == kSize);
  weights_.resize((kTaps + 1) * kChannels);
  for (int c = 0; c < kChannels; ++c) {
    for (int tap = 0; tap < kTaps; ++tap) {
      weights_[static_cast<size_t>(tap * kChannels + c)] = layer.weight[static_cast<size_t>(c * kTaps + tap)] / step;
    }
    weights_[static_cast<size_t>(kTaps * kChannels + c)] = layer.bias[static_cast<size_t>(c)] / step;
  }
}

void FirstConv::run(const uint8_t* patch, float* out, Layout layout) const {
  const bool blocks = layout == Layout::kBlocks;
  kKernels[static_cast<int>(machine_)].floats(PaddedPatch(patch, table_->input_epsilon).values, weights_.data(), out,
                                              blocks ? kHalf : kChannels, blocks ? kSize * kSize * kHalf : kHalf);
}

void FirstConv::run(const uint8_t* patch, uint8_t* out) const {
  kKernels[static_cast<int>(machine_)].bytes(PaddedPatch(patch, table_->input_epsilon).values, weights_.data(), out);
}

}  // namespace adasample
