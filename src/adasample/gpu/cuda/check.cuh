// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace adasample::gpu {

// Throws Error; defined where no CUDA compiler sees fmt's compile-time checks, which it does not get through.
[[noreturn]] void fail(const char* what, const char* why);

inline void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) fail(what, cudaGetErrorString(code));
}

// After a launch: a configuration that the device refuses is reported here.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace adasample::gpu
