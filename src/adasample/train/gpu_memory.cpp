// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "adasample/gpu/embedder.h"
#include "adasample/net/folded_net.h"
#include "adasample/sampler/descriptor_memory.h"
#include "adasample/train/backend.h"

namespace adasample {
namespace {

// Numbers that the convolutions leave of one patch: all layers together, and the largest.
struct ActivationNumbers {
  int64_t all = 0, largest = 0;
};

ActivationNumbers activations(const LayerTable& table) {
  ActivationNumbers sum;
  int64_t size = table.input_size;
  for (const ConvLayer& layer : table.layers) {
    size = (size + 2 * layer.padding - layer.kernel) / layer.stride + 1;
    sum.all += size * size * layer.out_channels;
    sum.largest = std::max(sum.largest, size * size * layer.out_channels);
  }
  return sum;
}

std::string gigabytes(int64_t bytes) { return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30)); }

}  // namespace

GpuMemory gpu_memory(const TrainOptions& options, int64_t resident, int64_t stored) {
  const int64_t patch = int64_t{l2net().input_size} * l2net().input_size;
  const bool sixteen_bits = options.precision == "bf16" || options.precision == "fp16";
  const int64_t element = sixteen_bits ? 2 : 4, rows = 2 * options.batch;
  const ActivationNumbers per_patch = activations(l2net());
  GpuMemory memory;
  memory.patches = (resident + 2 * options.batch * options.k) * patch;
  if (options.remembers()) memory.memory = DescriptorMemory::bytes(stored, l2net().descriptor_size);
  // Two activations in turn; LibTorch's way keeps four of them, a chunk at a time.
  const int64_t embedded = options.batch * options.k;
  memory.embedding = gpu::Embedder::available() && sixteen_bits
                         ? gpu::Embedder::bytes(embedded)
                         : 4 * std::min(embedded, FoldedNet::kGpuChunk) * per_patch.largest * element;
  // Before and after batch norm, gradients of two neighbouring layers; cuDNN's workspaces.
  memory.training = rows * (2 * per_patch.all + 4 * per_patch.largest) * element + (int64_t{1} << 30);
  memory.mining = int64_t{6} * sizeof(float) << 24;
  // The driver's context, and what the allocator holds without using: 8 % seen at n = 16,384.
  memory.around = (int64_t{600} << 20) + (memory.embedding + memory.training) / 12;
  return memory;
}

std::string GpuMemory::text() const {
  return fmt::format("{} ({} patches, {}{} embedding, {} training, {} mining, {} around it)", gigabytes(total()),
                     gigabytes(patches), memory > 0 ? gigabytes(memory) + " remembered, " : "", gigabytes(embedding),
                     gigabytes(training), gigabytes(mining), gigabytes(around));
}

}  // namespace adasample
