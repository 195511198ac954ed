// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/cuda/gpu_loader.h"

#include <cstring>

#include "adasample/base/conventions.h"
#include "adasample/base/parallel.h"
#include "adasample/train/cuda/stream.h"

namespace adasample {
namespace {

constexpr int64_t kPatchBytes = int64_t{kPatchSize} * kPatchSize;
constexpr int64_t kUploadAtOnce = 65536;  // patches
constexpr size_t kBatchesAhead = 2;

at::Tensor to_gpu(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong).to(at::kCUDA); }

}  // namespace

GpuLoader::GpuLoader(const std::vector<const PatchStore*>& stores, const LoaderOptions& options, int64_t most_bytes,
                     const at::Tensor& iteration)
    : options_(options), iteration_(iteration) {
  std::vector<int64_t> begins, pools;
  int64_t count = 0, slot = 0;
  for (const ClassPool& pool : make_pools(stores, options)) {
    pools.insert(pools.end(), {pool.first_class, pool.classes, slot});
    slot += pool.slots;
  }
  static_assert(sizeof(gpu::Pool) == 3 * sizeof(int64_t));
  for (const PatchStore* store : stores) {
    for (int64_t c = 0; c < store->class_count(); ++c) begins.push_back(count + store->class_begin(c));
    count += store->patch_count();
  }
  begins.push_back(count);
  class_begin_ = to_gpu(begins);
  pools_ = to_gpu(pools);

  const auto bytes = at::TensorOptions(at::kCUDA).dtype(at::kByte);
  const int64_t n = options.batch, k = options.k;
  batch_ = {at::empty({n, k, kPatchSize, kPatchSize}, bytes), at::empty({n}, bytes.dtype(at::kLong)),
            at::empty({n}, bytes.dtype(at::kLong))};
  if (count * kPatchBytes <= most_bytes) {
    upload(stores, count);
  } else {
    staged_ = at::empty({n, k, kPatchSize, kPatchSize}, bytes);
    LoaderOptions unflipped = options;
    unflipped.flips = false;
    unflipped.pinned = true;
    unflipped.levels = unflipped.patch_numbers = false;  // the GPU looks them up itself
    host_ = std::make_unique<BatchLoader>(stores, unflipped);
  }
  if (options.levels) {
    levels_ = at::tensor(at::ArrayRef<uint8_t>(strength_levels(stores)), at::kByte).to(at::kCUDA);
    batch_levels_ = at::empty({n, k}, bytes);
    batch_.levels = at::empty({n, k}, bytes.dtype(at::kLong));
  }
  if (options.patch_numbers) batch_.patch_numbers = at::empty({n, k}, bytes.dtype(at::kLong));
  source_ = {resident() ? patches_.data_ptr<uint8_t>() : nullptr,
             class_begin_.data_ptr<int64_t>(),
             options.levels ? levels_.data_ptr<uint8_t>() : nullptr,
             reinterpret_cast<const gpu::Pool*>(pools_.data_ptr<int64_t>()),
             static_cast<int>(pools.size() / 3),
             options.seed,
             options.flips};
}

void GpuLoader::upload(const std::vector<const PatchStore*>& stores, int64_t count) {
  patches_ = at::empty({count, kPatchSize, kPatchSize}, at::TensorOptions(at::kCUDA).dtype(at::kByte));
  at::Tensor host =
      at::empty({kUploadAtOnce, kPatchSize, kPatchSize}, at::TensorOptions(at::kByte).pinned_memory(true));
  int64_t to = 0;
  for (const PatchStore* store : stores) {
    for (int64_t begin = 0; begin < store->patch_count(); begin += kUploadAtOnce) {
      const int64_t length = std::min(kUploadAtOnce, store->patch_count() - begin);
      auto* at = host.data_ptr<uint8_t>();
      parallel_for(length, [&](int64_t i) {
        uint8_t half[kPatchBytes];
        std::memcpy(at + i * kPatchBytes, patch_at_training_size(*store, begin + i, half), kPatchBytes);
      });
      patches_.narrow(0, to, length).copy_(host.narrow(0, 0, length));
      to += length;
    }
    store->check_intact();
  }
}

void GpuLoader::prepare(int64_t t) {
  if (resident()) return;
  // A batch's pinned memory is free again when the GPU has copied it; the host does not run further ahead than this.
  if (sent_.size() == kBatchesAhead) {
    sent_.front()->synchronize();
    sent_.pop_front();
  }
  staged_.copy_(host_->load(t).patches, /*non_blocking=*/true);
  sent_.push_back(std::make_unique<at::cuda::CUDAEvent>());
  sent_.back()->record();
}

const Batch& GpuLoader::load() {
  const gpu::BatchTarget target{options_.batch,
                                options_.k,
                                batch_.patches.data_ptr<uint8_t>(),
                                batch_.counts.data_ptr<int64_t>(),
                                batch_.classes.data_ptr<int64_t>(),
                                options_.levels ? batch_levels_.data_ptr<uint8_t>() : nullptr,
                                options_.patch_numbers ? batch_.patch_numbers.data_ptr<int64_t>() : nullptr};
  if (resident()) {
    gpu::fill_batch(source_, iteration_.data_ptr<int64_t>(), target, torch_stream());
  } else {
    gpu::flip_batch(staged_.data_ptr<uint8_t>(), source_, iteration_.data_ptr<int64_t>(), target, torch_stream());
  }
  if (options_.levels) batch_.levels.copy_(batch_levels_);
  return batch_;
}

}  // namespace adasample
