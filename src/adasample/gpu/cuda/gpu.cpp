// SPDX-License-Identifier: Apache-2.0
#include "adasample/gpu/gpu.h"

#include <cuda_runtime_api.h>

#include "adasample/base/error.h"
#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/memory.h"

namespace adasample::gpu {

void fail(const char* what, const char* why) { ADA_THROW("[gpu] {}: {}", what, why); }

bool built() { return true; }

Device current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "no usable GPU");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "properties of the GPU");
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "memory of the GPU");
  return {properties.name, static_cast<int64_t>(total), static_cast<int64_t>(free)};
}

Buffer::Buffer(size_t bytes) { check(cudaMalloc(&data_, bytes), "allocation of device memory"); }
Buffer::~Buffer() { cudaFree(data_); }
void Buffer::upload(const void* from, size_t bytes) {
  check(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "copy to the device");
}
void Buffer::download(void* to, size_t bytes) const {
  check(cudaMemcpy(to, data_, bytes, cudaMemcpyDeviceToHost), "copy from the device");
}

}  // namespace adasample::gpu
