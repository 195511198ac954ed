// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/simd/kernels.h"

#include <algorithm>

#include "adasample/base/instruction_set.h"

// Highway compiles this file once for each instruction set. Left out: what has no vectors of a fixed length, and
// machines older than SSE 4, which take Highway's plain code.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_WANT_AVX3_DL  // AVX-512 with VNNI
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "adasample/engine/simd/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "adasample/engine/simd/direct-inl.h"
#include "adasample/engine/simd/first_layer-inl.h"
#include "adasample/engine/simd/last_layer-inl.h"
#include "adasample/engine/simd/products-inl.h"
#include "adasample/engine/simd/winograd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

void First(const float* in, int width, const float* weights, int channels, float* out) {
  first_layer(in, width, weights, channels, out);
}
void FirstToBytes(const float* in, int width, const float* weights, int channels, uint8_t* out) {
  first_layer(in, width, weights, channels, out);
}
void Convolve(const FloatConv& conv, const float* in, int patches, float* out, int border, size_t out_apart,
              float* values) {
  convolve(FloatTag(), conv, nullptr, in, patches, Results<float>{out, border, out_apart}, values);
}
void ConvolveBytes(const ByteConv& conv, const uint8_t* in, int patches, uint8_t* out, int border, size_t out_apart,
                   int16_t* values) {
  convolve(Int16Tag(), conv, conv.scale, in, patches, Results<uint8_t>{out, border, out_apart}, values);
}
void ConvolveBytesToFloats(const ByteConv& conv, const uint8_t* in, int patches, float* out, int border,
                           size_t out_apart, int16_t* values) {
  convolve(Int16Tag(), conv, conv.scale, in, patches, Results<float>{out, border, out_apart}, values);
}

#if HWY_TARGET == HWY_AVX3_DL
void ConvolveDirectly(const DirectConv& conv, const uint8_t* in, int patches, uint8_t* out, int border,
                      size_t out_apart) {
  convolve_directly(conv, in, patches, Results<uint8_t>{out, border, out_apart});
}
void LastInt8(const float* in, int patches, uint8_t* small, const int8_t* weights, const float* scale,
              const float* bias, float* out) {
  last_layer(in, patches, small, weights, scale, bias, out);
}
#else
constexpr decltype(Kernels::convolve_directly) ConvolveDirectly = nullptr;
constexpr decltype(Kernels::last_int8) LastInt8 = nullptr;
#endif

void Last(const float* in, int patches, const float* weights, const float* bias, float* out) {
  last_layer(in, patches, weights, bias, out);
}
void LastInt16(const float* in, int patches, int16_t* small, const int16_t* weights, const float* scale,
               const float* bias, float* out) {
  last_layer(in, patches, small, weights, scale, bias, out);
}

#if HWY_TARGET == HWY_AVX3_DL
constexpr const char* kName = "avx512_vnni";
#elif HWY_TARGET == HWY_AVX3
constexpr const char* kName = "avx512";
#elif HWY_TARGET == HWY_AVX2
constexpr const char* kName = "avx2";
#elif HWY_TARGET == HWY_SSE4
constexpr const char* kName = "sse4";
#elif HWY_TARGET == HWY_NEON
constexpr const char* kName = "neon";
#else
constexpr const char* kName = nullptr;  // Highway's plain code, slower than the reference's competitors: not offered
#endif

const Kernels* Table() {
  static const Kernels table = {kName,
                                static_cast<int>(kVectors * hn::MaxLanes(FloatTag())),
                                static_cast<int>(kIntVectors * hn::MaxLanes(Int32Tag())),
                                First,
                                FirstToBytes,
                                Convolve,
                                ConvolveBytes,
                                ConvolveBytesToFloats,
                                ConvolveDirectly,
                                Last,
                                LastInt16,
                                LastInt8};
  return &table;
}

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace adasample::simd {
HWY_EXPORT(Table);

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  const int64_t here = hwy::SupportedTargets() & HWY_TARGETS;
  for (int64_t left = here; left != 0; left &= left - 1) {  // a lower bit is a better one
    hwy::ChosenTarget one;
    one.Update(left & -left);
    const Kernels* kernels = HWY_DISPATCH_TABLE(Table)[one.GetIndex()]();
    if (kernels->name != nullptr) all.push_back(kernels);
  }
  return all;
}

const Kernels* best_kernels() {
  static const Kernels* best = [] {
    const std::vector<const Kernels*> all = all_kernels();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const Kernels* kernels) { return allows_instruction_set(kernels->name); });
    return found != all.end() ? *found : nullptr;
  }();
  return best;
}

}  // namespace adasample::simd
#endif
