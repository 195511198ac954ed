// SPDX-License-Identifier: Apache-2.0
#include "adasample/gpu/step.h"

#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/cuda/vector8.cuh"

namespace adasample::gpu {
namespace {

struct SgdArrays {
  SgdArray array[kMostSgdArrays];
};

struct Updated {
  float momentum, weight;
};

__device__ Updated update(const SgdArray& a, int64_t i, const SgdRule& rule, float learning_rate, bool taken) {
  const float gradient = a.gradient[i] + rule.weight_decay * a.weight[i];
  // The first gradient enters undamped, as PyTorch has it.
  const float momentum = taken ? rule.momentum * a.momentum[i] + (1 - rule.dampening) * gradient : gradient;
  return {momentum, a.weight[i] - learning_rate * momentum};
}

__global__ void begin(bool* finite) { *finite = true; }

__global__ void look(SgdArrays arrays, SgdRule rule, const double* learning_rate, const bool* taken, bool* finite) {
  const SgdArray& a = arrays.array[blockIdx.y];
  bool all = true;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.count; i += int64_t{gridDim.x} * blockDim.x) {
    all = all && isfinite(update(a, i, rule, static_cast<float>(*learning_rate), *taken).weight);
  }
  if (!all) *finite = false;  // whoever finds it writes the same
}

__global__ void apply(SgdArrays arrays, SgdRule rule, const double* learning_rate, const bool* taken,
                      const bool* finite) {
  if (!*finite) return;
  const SgdArray& a = arrays.array[blockIdx.y];
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < a.count; i += int64_t{gridDim.x} * blockDim.x) {
    const Updated now = update(a, i, rule, static_cast<float>(*learning_rate), *taken);
    a.momentum[i] = now.momentum;
    a.weight[i] = now.weight;
  }
}

__global__ void end(const bool* finite, bool* taken) { *taken = *taken || *finite; }

template <typename T>
__global__ void drop(T* x, int64_t groups, float p, RngKey key, const int64_t* iteration) {
  const RngKey here = key.at(static_cast<uint64_t>(*iteration));
  const float scale = 1 / (1 - p);
  const auto limit = static_cast<uint32_t>(p * 65536.f);  // each of eight numbers has 16 bits of two hashes
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < groups; i += int64_t{gridDim.x} * blockDim.x) {
    const uint64_t bits[2] = {here.at(static_cast<uint64_t>(2 * i)).bits(),
                              here.at(static_cast<uint64_t>(2 * i + 1)).bits()};
    float v[8];
    load8(x + i * 8, v);
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const auto number = static_cast<uint32_t>(bits[c / 4] >> (16 * (c % 4))) & 0xFFFFu;
      v[c] = number < limit ? 0 : v[c] * scale;
    }
    store8(x + i * 8, v);
  }
}

}  // namespace

void sgd_step(const SgdArray* arrays, int count, const SgdRule& rule, const double* learning_rate, bool* taken,
              bool* finite, Stream stream) {
  if (count > kMostSgdArrays) fail("the step", "more arrays than there is room for");
  SgdArrays all{};
  for (int i = 0; i < count; ++i) all.array[i] = arrays[i];
  const dim3 grid(128, static_cast<unsigned>(count));
  begin<<<1, 1, 0, stream>>>(finite);
  look<<<grid, 256, 0, stream>>>(all, rule, learning_rate, taken, finite);
  apply<<<grid, 256, 0, stream>>>(all, rule, learning_rate, taken, finite);
  end<<<1, 1, 0, stream>>>(finite, taken);
  check_launch("the step");
}

void dropout(void* x, Element element, int64_t count, double p, RngKey key, const int64_t* iteration, Stream stream) {
  if (count % 8 != 0) fail("dropout", "works on whole groups of eight");
  with_element(element, [&]<typename T>(T*) {
    drop<<<1024, 256, 0, stream>>>(static_cast<T*>(x), count / 8, static_cast<float>(p), key, iteration);
  });
  check_launch("dropout");
}

}  // namespace adasample::gpu
