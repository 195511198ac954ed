// SPDX-License-Identifier: Apache-2.0
// L2-Net in evaluation mode on a Hopper GPU, hand-written: bytes in, unit descriptors out. Batch norm is folded into
// bf16 weights, sums are fp32; input normalisation and the first two layers are one kernel, ReLU is part of every
// convolution.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "adasample/gpu/gpu.h"
#include "adasample/model/layer_table.h"

namespace adasample::gpu {

// One layer's fp32 arrays on the device.
struct FoldInput {
  const float* weight;  // (out, k, k, in): a channels-last tensor's memory
  const float* mean;    // running statistics, (out)
  const float* variance;
};
inline constexpr int kL2NetLayers = 7;

class Embedder {
 public:
  // Whether the current device can run it (compute capability 9.0) and this program was built for it (90a). Looks once.
  static bool available();

  // Memory for `chunk` patches at once is taken here, and nowhere else.
  explicit Embedder(int64_t chunk = kChunk);
  ~Embedder();
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  // Folds and packs the present weights. Both calls only enqueue work.
  void refold(const std::array<FoldInput, kL2NetLayers>& layers, Stream stream);
  // patches: count x 32 x 32 bytes -> count x 128 floats, both on the device; any count.
  void embed(const uint8_t* patches, int64_t count, float* descriptors, Stream stream);

  static constexpr int64_t kChunk = 4096;
  static int64_t bytes(int64_t chunk = kChunk);  // of device memory

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample::gpu
