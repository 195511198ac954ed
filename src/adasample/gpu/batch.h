// SPDX-License-Identifier: Apache-2.0
// Batches put together on the GPU, patch by patch the same as train/batch_loader.h's: classes by the Feistel
// permutation keyed by (seed, iteration), up to k patches of each, one flip a class.
#pragma once

#include "adasample/base/random/rng.h"
#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

// Classes drawn together: all of them, or those of one store where stores have shares.
struct Pool {
  int64_t first_class, classes;
  int64_t first_slot;  // of the batch; a pool ends where the next begins
};

struct BatchSource {
  const uint8_t* patches;      // (patches, 32, 32)
  const int64_t* class_begin;  // (classes + 1): first patch of each class
  const uint8_t* levels;       // (patches), where the target asks for them
  const Pool* pools;
  int pool_count;
  uint64_t seed;
  bool flips;
};

struct BatchTarget {
  int64_t n, k;
  uint8_t* patches;        // (n, k, 32, 32); slots past a class's count repeat its first patch
  int64_t* counts;         // (n)
  int64_t* classes;        // (n)
  uint8_t* levels;         // (n, k), of the patches' strengths; null: not asked for
  int64_t* patch_numbers;  // (n, k), numbers of the patches; null: not asked for
};

// iteration: () int64 on the device. All pointers are the device's.
void fill_batch(const BatchSource& source, const int64_t* iteration, const BatchTarget& target, Stream stream);

// As above from patches that the host has already chosen: `staged` is (n, k, 32, 32), not yet flipped.
void flip_batch(const uint8_t* staged, const BatchSource& source, const int64_t* iteration, const BatchTarget& target,
                Stream stream);

// The pairs of a batch, normalised for the network: rows 0..n-1 are the anchors, n..2n-1 the positives.
// (x - mean) / (unbiased std + epsilon). out: (2n, 32, 32) of `element`.
void gather_pairs(const uint8_t* patches, int64_t n, int64_t k, const int64_t* anchor, const int64_t* positive,
                  Element element, void* out, Stream stream);

}  // namespace adasample::gpu
