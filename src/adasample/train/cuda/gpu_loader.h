// SPDX-License-Identifier: Apache-2.0
// Batches on the GPU. The stores lie in its memory as bytes where they fit, and a batch is put together there from the
// iteration's number alone; else the host gathers the patches ahead of time and sends them over.
#pragma once

#include <ATen/cuda/CUDAEvent.h>
#include <torch/torch.h>

#include <deque>
#include <memory>
#include <vector>

#include "adasample/gpu/batch.h"
#include "adasample/train/batch_loader.h"

namespace adasample {

class GpuLoader {
 public:
  // most_bytes: of patches to keep on the GPU. iteration: () int64 there.
  GpuLoader(const std::vector<const PatchStore*>& stores, const LoaderOptions& options, int64_t most_bytes,
            const at::Tensor& iteration);

  bool resident() const { return patches_.defined(); }

  // The host's part of iteration t: where the stores are not on the GPU, sends its patches.
  void prepare(int64_t t);
  // The device's part. The batch's tensors are the same ones each time.
  const Batch& load();

 private:
  void upload(const std::vector<const PatchStore*>& stores, int64_t count);

  LoaderOptions options_;
  at::Tensor iteration_, patches_, class_begin_, levels_, pools_, staged_;
  at::Tensor batch_levels_;  // (n, k) bytes; the batch's own are whole numbers to index with
  gpu::BatchSource source_{};
  Batch batch_;
  std::unique_ptr<BatchLoader> host_;
  std::deque<std::unique_ptr<at::cuda::CUDAEvent>> sent_;
};

}  // namespace adasample
