// SPDX-License-Identifier: Apache-2.0
// Vectors of floats for kernels that are written once and compiled for several machines: everything here is inlined
// into functions that carry the machine's name (kernels.cpp). Channels come in blocks of 32, whatever the machine.
#pragma once

#include <cstdint>

// Into functions whose machine the surrounding code does not know of.
#define ADA_LANES inline __attribute__((always_inline))
#ifdef __clang__
#define ADA_UNROLL _Pragma("unroll")
#else
#define ADA_UNROLL _Pragma("GCC unroll 16")
#endif

namespace adasample::pass {

inline constexpr int kBlock = 32;  // channels side by side

using Lanes8 = float __attribute__((vector_size(32)));
using Lanes16 = float __attribute__((vector_size(64)));

template <typename V>
inline constexpr int kLanes = sizeof(V) / sizeof(float);

// By reference: a vector wider than the surrounding code's machine has no agreed way to be passed.
template <typename V>
ADA_LANES void load(const float* from, V& to) {
  __builtin_memcpy(&to, from, sizeof to);
}

template <typename V>
ADA_LANES void store(const V& from, float* to) {
  __builtin_memcpy(to, &from, sizeof from);
}

// to += from, in memory.
template <typename V>
ADA_LANES void add_to(const V& from, float* to) {
  V sum;
  load(to, sum);
  sum += from;
  store(sum, to);
}

}  // namespace adasample::pass
