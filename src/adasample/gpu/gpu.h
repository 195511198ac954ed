// SPDX-License-Identifier: Apache-2.0
// What the GPU's kernels share. They work on raw device pointers, enqueue on the stream they are given and never wait;
// no header of CUDA is needed to call them. Without ADASAMPLE_CUDA all of them are stubs (no_cuda.cpp).
#pragma once

#include <cstdint>
#include <string>

struct CUstream_st;

namespace adasample::gpu {

using Stream = CUstream_st*;

// Whether this program was built with kernels of its own.
bool built();

// The current device.
struct Device {
  std::string name;
  int64_t total_bytes = 0, free_bytes = 0;
};
// Throws Error where there is none; in one line, why.
Device current_device();

// What activations are kept in. Weights, statistics, descriptors and sums are fp32 either way.
enum class Element { kFloat, kHalf, kBfloat16 };

}  // namespace adasample::gpu
