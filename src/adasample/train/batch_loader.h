// SPDX-License-Identifier: Apache-2.0
// Fills batches from memory-mapped stores: n distinct classes by a Feistel permutation keyed by (seed, iteration), up
// to k patches of each, one flip a class. Which patches a batch holds is a pure function of (seed, iteration), also
// where only some of its slots are filled.
#pragma once

#include <torch/torch.h>

#include <future>
#include <memory>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/train/options.h"

namespace adasample {

struct Batch {
  at::Tensor patches;             // (n, k, S, S) uint8; slots past a class's count repeat its first patch
  at::Tensor counts;              // (n) int64, 2..k
  at::Tensor classes;             // (n) int64, counted through all stores
  at::Tensor levels = {};         // (n, k) int64: of each patch's strength (sampler/view_strength.h), where asked for
  at::Tensor patch_numbers = {};  // (n, k) int64: numbers of the patches, counted through all stores, where asked for
};

struct LoaderOptions {
  int64_t batch = 0, k = 0;
  uint64_t seed = 0;
  bool flips = true;
  std::vector<double> shares = {};  // of the batch, one a store, any sum; empty: every class of every store alike
  bool pinned = false;              // batches in memory that a GPU copies from by itself
  bool levels = false;              // whether batches say how strongly their patches were changed
  bool patch_numbers = false;       // whether batches say which patches they hold
  int size = 32;                    // of the patches, as the network reads them
  int64_t first = 0, count = 0;     // slots of the batch that are filled here, count 0: all of them
  int64_t slots() const { return count > 0 ? count : batch; }
};
LoaderOptions loader_options(const TrainOptions& options);

// Classes drawn together: all of them, or those of one store where shares are given.
struct ClassPool {
  int64_t first_class = 0, classes = 0;  // counted through all stores
  int64_t slots = 0;                     // of the batch
};

// Throws Error for stores that do not fit the options; see BatchLoader.
std::vector<ClassPool> make_pools(const std::vector<const PatchStore*>& stores, const LoaderOptions& options);

// A patch of size x size as it is, one of twice that halved into `half` (size x size bytes).
const uint8_t* patch_at_training_size(const PatchStore& store, int64_t index, uint8_t* half, int size = 32);

// Level of every patch, store after store: of its strength, in kStrengthLevels equal steps up to the strongest of its
// store. Throws Error for a store that does not say its strengths.
std::vector<uint8_t> strength_levels(const std::vector<const PatchStore*>& stores);

class BatchLoader {
 public:
  // The stores must outlive the loader. Patches of the network's size are taken as they are, twice as large ones halved
  // by the mean of 2x2 pixels; other sizes are refused, and so is a batch that asks a store for more classes than it
  // has.
  BatchLoader(std::vector<const PatchStore*> stores, const LoaderOptions& options);
  ~BatchLoader();

  // The batch of an iteration, or its slots that are asked for. The next one is already being filled on another thread
  // meanwhile.
  Batch load(int64_t iteration);

  int64_t class_count() const { return class_count_; }

 private:
  Batch fill(int64_t iteration) const;
  void fill_slot(Batch& batch, int64_t j, int64_t name, uint64_t iteration) const;

  std::vector<const PatchStore*> stores_;
  LoaderOptions options_;
  int64_t class_count_ = 0;
  std::vector<ClassPool> pools_;
  std::vector<uint8_t> levels_;       // of every patch, where asked for
  std::vector<int64_t> first_patch_;  // of each store, counted through all
  int64_t ahead_iteration_ = -1;
  std::future<Batch> ahead_;
};

// `total` slots dealt out in proportion to `shares`, none of which may be negative: whole numbers, largest remainders
// first, sum `total`.
std::vector<int64_t> deal_out(int64_t total, const std::vector<double>& shares);

// A symmetry of the square applied to a size x size patch: transpose where code & 4, then mirror left-right where code
// & 8, then (code & 3) quarter turns. Four random bits so give p 1/2 for transpose and mirror and a uniform quarter
// turn.
void flip_patch(const uint8_t* in, uint8_t* out, int size, unsigned code);

}  // namespace adasample
