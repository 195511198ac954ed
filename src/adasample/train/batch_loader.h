// SPDX-License-Identifier: Apache-2.0
// Fills batches from memory-mapped stores: n distinct classes by a Feistel permutation keyed by (seed, iteration), up
// to k patches of each, one flip a class. Which patches a batch holds is a pure function of (seed, iteration).
#pragma once

#include <torch/torch.h>

#include <future>
#include <memory>
#include <vector>

#include "adasample/data/patch_store.h"

namespace adasample {

struct Batch {
  at::Tensor patches;  // (n, k, 32, 32) uint8; slots past a class's count repeat its first patch
  at::Tensor counts;   // (n) int64, 2..k
  at::Tensor classes;  // (n) int64, counted through all stores
};

struct LoaderOptions {
  int64_t batch = 0, k = 0;
  uint64_t seed = 0;
  bool flips = true;
};

class BatchLoader {
 public:
  // The stores must outlive the loader. Patches of 32x32 are taken as they are, 64x64 halved by the mean of 2x2 pixels;
  // other sizes are refused, and so is a batch larger than the number of classes.
  BatchLoader(std::vector<const PatchStore*> stores, const LoaderOptions& options);
  ~BatchLoader();

  // The batch of an iteration. The next one is already being filled on another thread meanwhile.
  Batch load(int64_t iteration);

  int64_t class_count() const { return class_count_; }

 private:
  Batch fill(int64_t iteration) const;

  std::vector<const PatchStore*> stores_;
  LoaderOptions options_;
  int64_t class_count_ = 0;
  int64_t ahead_iteration_ = -1;
  std::future<Batch> ahead_;
};

// A symmetry of the square applied to a size x size patch: transpose where code & 4, then mirror left-right where code
// & 8, then (code & 3) quarter turns. Four random bits so give p 1/2 for transpose and mirror and a uniform quarter
// turn.
void flip_patch(const uint8_t* in, uint8_t* out, int size, unsigned code);

}  // namespace adasample
