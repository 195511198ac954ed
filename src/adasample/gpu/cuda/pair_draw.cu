// SPDX-License-Identifier: Apache-2.0
// The arithmetic of sampler/pair_draw.cpp, a warp a class: distances in float, probabilities in double.
#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/pair_draw.h"

namespace adasample::gpu {
namespace {

constexpr int kDescriptor = 128;
constexpr int kWarps = 4;  // a block

__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__device__ float4 four(const float* row) { return reinterpret_cast<const float4*>(row)[threadIdx.x % 32]; }

__device__ float square_sum(float4 v) { return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w; }

__device__ float distance_between(float4 x, float4 y, bool angular) {
  const float apart = sqrtf(warp_sum(square_sum({x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w})));
  if (!angular) return apart;
  const float together = sqrtf(warp_sum(square_sum({x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w})));
  return 2 * atan2f(apart, together);
}

// (d / d_max)^exponent in the log domain, with the limits of pair_draw.h.
__device__ double relative(double d, double largest, double exponent) {
  if (exponent == 0 || largest == 0) return 1;
  if (isinf(exponent)) return d == largest ? 1 : 0;
  return exp(exponent * (log(d) - log(largest)));
}

__global__ void draw(PairDrawInput in, PairDrawOutput out) {
  __shared__ float distances[kWarps][kMostCandidates];
  __shared__ double relatives[kWarps][kMostCandidates];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t row = int64_t{blockIdx.x} * kWarps + warp;
  if (row >= in.n) return;
  float* d = distances[warp];
  double* q = relatives[warp];
  const auto iteration = static_cast<uint64_t>(*in.iteration), name = static_cast<uint64_t>(in.classes[row]);
  const auto uniform = [&](Draw what) { return RngKey(in.seed, what).at(iteration).at(name).uniform(); };
  const int count = static_cast<int>(in.counts[row]);
  const int k = static_cast<int>(in.k);
  const int anchor = static_cast<int>(floor(uniform(Draw::kAnchor) * count));

  const float* descriptors = in.descriptors + row * k * kDescriptor;
  const float4 a = four(descriptors + anchor * kDescriptor);
  for (int i = 0; i < count; ++i) {
    const float value = distance_between(four(descriptors + i * kDescriptor), a, in.angular);
    if (lane == 0) d[i] = value;
  }
  __syncwarp();

  double largest = 0;
  for (int i = lane; i < count; i += 32) {
    if (i != anchor) largest = fmax(largest, static_cast<double>(d[i]));
  }
  for (int step = 16; step > 0; step /= 2) largest = fmax(largest, __shfl_xor_sync(~0u, largest, step));
  const double exponent = *in.exponent;
  for (int i = lane; i < k; i += 32) q[i] = i < count && i != anchor ? relative(d[i], largest, exponent) : 0;
  __syncwarp();

  double total = 0;
  for (int i = 0; i < k; ++i) total += q[i];
  for (int i = lane; i < k; i += 32) {
    out.probability[row * k + i] = q[i] / total;
    out.distances[row * k + i] = i < count ? d[i] : 0;
  }
  if (lane != 0) return;
  // First candidate whose cumulative q exceeds u * total; rounding may not lift the target to the total itself.
  const double target = fmin(uniform(Draw::kPositive) * total, total * (1 - 0x1.0p-52));
  int positive = 0;
  for (double sum = q[0]; sum <= target && positive + 1 < k;) sum += q[++positive];
  out.anchor[row] = anchor;
  out.positive[row] = positive;
  out.distance[row] = d[positive];
}

}  // namespace

void draw_pairs(const PairDrawInput& input, const PairDrawOutput& output, Stream stream) {
  draw<<<static_cast<unsigned>((input.n + kWarps - 1) / kWarps), kWarps * 32, 0, stream>>>(input, output);
  check_launch("the draw of pairs");
}

}  // namespace adasample::gpu
