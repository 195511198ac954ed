// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/random/feistel_grid.h"
#include "adasample/gpu/batch.h"
#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/cuda/patch_norm.cuh"
#include "adasample/gpu/cuda/vector8.cuh"
#include "adasample/model/layer_table.h"

namespace adasample::gpu {
namespace {

constexpr int kSize = 32, kPixels = PatchNorm::kPixels, kThreads = PatchNorm::kThreads;

__device__ int64_t class_of_slot(const BatchSource& source, int64_t slot, uint64_t iteration) {
  int pool = source.pool_count - 1;
  while (slot < source.pools[pool].first_slot) --pool;
  const RngKey key = RngKey(source.seed, Draw::kClasses).at(iteration);
  const Pool& p = source.pools[pool];
  const uint64_t image =
      FeistelGrid::of(static_cast<uint64_t>(p.classes))
          .image(static_cast<uint64_t>(slot - p.first_slot), pool == 0 ? key : key.at(static_cast<uint64_t>(pool)));
  return p.first_class + static_cast<int64_t>(image);
}

// The pixel of the source that lands on (x, y): train/batch_loader.h's flip_patch.
__device__ int source_pixel(int x, int y, unsigned code) {
  int u = x, v = y;
  for (unsigned turn = 0; turn < (code & 3u); ++turn) {
    const int t = u;
    u = v;
    v = kSize - 1 - t;
  }
  if (code & 8u) u = kSize - 1 - u;
  return code & 4u ? u * kSize + v : v * kSize + u;
}

// A block a patch: (class of the batch, member).
template <bool Staged>
__global__ void fill(BatchSource source, const uint8_t* staged, const int64_t* iteration_at, BatchTarget target) {
  __shared__ uint8_t patch[kPixels];
  __shared__ const uint8_t* from;
  __shared__ unsigned code;
  const int64_t slot = blockIdx.x / target.k, member = blockIdx.x % target.k;
  if (threadIdx.x == 0) {
    const auto iteration = static_cast<uint64_t>(*iteration_at);
    const int64_t name = class_of_slot(source, slot, iteration);
    const int64_t begin = source.class_begin[name], size = source.class_begin[name + 1] - begin;
    const int64_t count = min(size, target.k), wanted = member < count ? member : 0;
    const auto key = [&](Draw draw) { return RngKey(source.seed, draw).at(iteration).at(static_cast<uint64_t>(name)); };
    const int64_t chosen = size <= target.k
                               ? wanted
                               : static_cast<int64_t>(FeistelGrid::of(static_cast<uint64_t>(size))
                                                          .image(static_cast<uint64_t>(wanted), key(Draw::kSubset)));
    from = Staged ? staged + (slot * target.k + wanted) * kPixels : source.patches + (begin + chosen) * kPixels;
    code = source.flips ? static_cast<unsigned>(key(Draw::kFlip).bits() >> 60) : 0u;
    if (target.levels) target.levels[slot * target.k + member] = source.levels[begin + chosen];
    if (target.patch_numbers) target.patch_numbers[slot * target.k + member] = begin + chosen;
    if (member == 0) {
      target.counts[slot] = count;
      target.classes[slot] = name;
    }
  }
  __syncthreads();
  reinterpret_cast<uchar4*>(patch)[threadIdx.x] = reinterpret_cast<const uchar4*>(from)[threadIdx.x];
  __syncthreads();
  const int x = threadIdx.x % 8 * 4, y = threadIdx.x / 8;
  uchar4 out;
  out.x = patch[source_pixel(x, y, code)];
  out.y = patch[source_pixel(x + 1, y, code)];
  out.z = patch[source_pixel(x + 2, y, code)];
  out.w = patch[source_pixel(x + 3, y, code)];
  reinterpret_cast<uchar4*>(target.patches + (slot * target.k + member) * kPixels)[threadIdx.x] = out;
}

template <typename T>
__global__ void gather(const uint8_t* patches, int64_t n, int64_t k, const int64_t* anchor, const int64_t* positive,
                       float epsilon, T* out) {
  __shared__ int2 partial[kThreads / 32];
  const int64_t row = blockIdx.x, slot = row < n ? row : row - n;
  const int64_t member = row < n ? anchor[slot] : positive[slot];
  const uchar4 v = reinterpret_cast<const uchar4*>(patches + (slot * k + member) * kPixels)[threadIdx.x];
  const PatchNorm norm(v, epsilon, partial);
  T* to = out + row * kPixels + threadIdx.x * 4;
  to[0] = static_cast<T>(norm(v.x));
  to[1] = static_cast<T>(norm(v.y));
  to[2] = static_cast<T>(norm(v.z));
  to[3] = static_cast<T>(norm(v.w));
}

}  // namespace

void fill_batch(const BatchSource& source, const int64_t* iteration, const BatchTarget& target, Stream stream) {
  fill<false><<<static_cast<unsigned>(target.n * target.k), kThreads, 0, stream>>>(source, nullptr, iteration, target);
  check_launch("filling of a batch");
}

void flip_batch(const uint8_t* staged, const BatchSource& source, const int64_t* iteration, const BatchTarget& target,
                Stream stream) {
  fill<true><<<static_cast<unsigned>(target.n * target.k), kThreads, 0, stream>>>(source, staged, iteration, target);
  check_launch("flipping of a batch");
}

void gather_pairs(const uint8_t* patches, int64_t n, int64_t k, const int64_t* anchor, const int64_t* positive,
                  Element element, void* out, Stream stream) {
  const auto epsilon = static_cast<float>(l2net().input_epsilon);
  with_element(element, [&]<typename T>(T*) {
    gather<<<static_cast<unsigned>(2 * n), kThreads, 0, stream>>>(patches, n, k, anchor, positive, epsilon,
                                                                  static_cast<T*>(out));
  });
  check_launch("gathering of pairs");
}

}  // namespace adasample::gpu
