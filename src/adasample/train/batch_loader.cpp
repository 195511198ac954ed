// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/batch_loader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/feistel.h"
#include "adasample/model/halve.h"

namespace adasample {
namespace {

constexpr int kPixels = kPatchSize * kPatchSize;

}  // namespace

void flip_patch(const uint8_t* in, uint8_t* out, int size, unsigned code) {
  const int last = size - 1;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      // Walk back from the output pixel: quarter turns, mirror, transpose.
      int u = x, v = y;
      for (unsigned turn = 0; turn < (code & 3u); ++turn) {
        const int t = u;
        u = v;
        v = last - t;
      }
      if (code & 8u) u = last - u;
      if (code & 4u) std::swap(u, v);
      out[y * size + x] = in[v * size + u];
    }
  }
}

BatchLoader::BatchLoader(std::vector<const PatchStore*> stores, const LoaderOptions& options)
    : stores_(std::move(stores)), options_(options) {
  ADA_ASSERT(!stores_.empty() && options.batch >= 2 && options.k >= 2);
  for (const PatchStore* store : stores_) {
    ADA_CHECK(store->patch_size() == kPatchSize || store->patch_size() == 2 * kPatchSize,
              "[train] {}: patches are {}x{}, training reads 32x32 (or 64x64, halved)", store->folder().string(),
              store->patch_size(), store->patch_size());
    class_count_ += store->class_count();
  }
  ADA_CHECK(
      options.batch <= class_count_,
      "[train] --batch {} is larger than the number of classes, {} - a batch holds distinct classes; use a smaller "
      "batch or more data",
      options.batch, class_count_);
}

BatchLoader::~BatchLoader() {
  if (ahead_.valid()) ahead_.wait();
}

Batch BatchLoader::load(int64_t iteration) {
  Batch batch = ahead_.valid() && ahead_iteration_ == iteration ? ahead_.get() : fill(iteration);
  if (ahead_.valid()) ahead_.wait();
  ahead_iteration_ = iteration + 1;
  ahead_ = std::async(std::launch::async, [this, next = ahead_iteration_] { return fill(next); });
  return batch;
}

Batch BatchLoader::fill(int64_t iteration) const {
  const int64_t n = options_.batch, k = options_.k;
  const auto t = static_cast<uint64_t>(iteration);
  Batch batch{at::empty({n, k, kPatchSize, kPatchSize}, at::kByte), at::empty({n}, at::kLong),
              at::empty({n}, at::kLong)};
  auto* out = batch.patches.data_ptr<uint8_t>();
  const FeistelPermutation draw(static_cast<uint64_t>(class_count_), RngKey(options_.seed, Draw::kClasses).at(t));
  for (int64_t j = 0; j < n; ++j) {
    const auto name = static_cast<int64_t>(draw.image(static_cast<uint64_t>(j)));
    int64_t c = name;
    size_t s = 0;
    while (c >= stores_[s]->class_count()) c -= stores_[s++]->class_count();
    const PatchStore& store = *stores_[s];
    const int64_t size = store.class_size(c), count = std::min(size, k);
    const auto word = static_cast<uint64_t>(name);
    const FeistelPermutation subset(static_cast<uint64_t>(size), RngKey(options_.seed, Draw::kSubset).at(t).at(word));
    const auto flip = static_cast<unsigned>(RngKey(options_.seed, Draw::kFlip).at(t).at(word).bits() >> 60);
    for (int64_t slot = 0; slot < k; ++slot, out += kPixels) {
      if (slot >= count) {
        std::memcpy(out, out - slot * kPixels, kPixels);
        continue;
      }
      const int64_t member = size <= k ? slot : static_cast<int64_t>(subset.image(static_cast<uint64_t>(slot)));
      const uint8_t* patch = store.patch(store.class_begin(c) + member).data();
      uint8_t half[kPixels];
      if (store.patch_size() != kPatchSize) {
        halve_patch(patch, half, kPatchSize);
        patch = half;
      }
      flip_patch(patch, out, kPatchSize, options_.flips ? flip : 0);
    }
    batch.counts.data_ptr<int64_t>()[j] = count;
    batch.classes.data_ptr<int64_t>()[j] = name;
  }
  return batch;
}

}  // namespace adasample
