// SPDX-License-Identifier: Apache-2.0
// Eight neighbouring channels as floats, loaded and stored 16 bytes at a time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

template <typename T>
__device__ inline void load8(const T* from, float (&v)[8]);

template <>
__device__ inline void load8(const __nv_bfloat16* from, float (&v)[8]) {
  const uint4 bits = *reinterpret_cast<const uint4*>(from);
  const uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = __uint_as_float(words[i] << 16);
    v[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
  }
}

template <>
__device__ inline void load8(const __half* from, float (&v)[8]) {
  const uint4 bits = *reinterpret_cast<const uint4*>(from);
  const auto* pairs = reinterpret_cast<const __half2*>(&bits);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(pairs[i]);
    v[2 * i] = pair.x;
    v[2 * i + 1] = pair.y;
  }
}

template <>
__device__ inline void load8(const float* from, float (&v)[8]) {
  const float4 low = reinterpret_cast<const float4*>(from)[0], high = reinterpret_cast<const float4*>(from)[1];
  v[0] = low.x, v[1] = low.y, v[2] = low.z, v[3] = low.w, v[4] = high.x, v[5] = high.y, v[6] = high.z, v[7] = high.w;
}

__device__ inline void store8(__nv_bfloat16* to, const float (&v)[8]) {
  __nv_bfloat162 pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(pairs);
}

__device__ inline void store8(__half* to, const float (&v)[8]) {
  __half2 pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pairs[i] = __floats2half2_rn(v[2 * i], v[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(pairs);
}

__device__ inline void store8(float* to, const float (&v)[8]) {
  reinterpret_cast<float4*>(to)[0] = make_float4(v[0], v[1], v[2], v[3]);
  reinterpret_cast<float4*>(to)[1] = make_float4(v[4], v[5], v[6], v[7]);
}

// Calls f with a null pointer of the element's type.
template <typename F>
void with_element(Element element, F&& f) {
  if (element == Element::kBfloat16) {
    f(static_cast<__nv_bfloat16*>(nullptr));
  } else if (element == Element::kHalf) {
    f(static_cast<__half*>(nullptr));
  } else {
    f(static_cast<float*>(nullptr));
  }
}

}  // namespace adasample::gpu
