// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/batch_loader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/feistel.h"
#include "adasample/model/halve.h"
#include "adasample/model/network.h"
#include "adasample/sampler/view_strength.h"
#include "adasample/train/policy_of.h"

namespace adasample {
namespace {

constexpr int kLargestPatch = 64 * 64;  // bytes of what any network reads

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

LoaderOptions loader_options(const TrainOptions& o) {
  const SamplerPolicy policy = policy_of(o);
  const bool levels = policy.needs_descriptors() && policy.informativeness == Informativeness::kStrength;
  return {o.batch, o.k,           o.seed,
          o.flips, o.shares,      /*pinned=*/false,
          levels,  o.remembers(), find_network(o.network).input_size};
}

std::vector<uint8_t> strength_levels(const std::vector<const PatchStore*>& stores) {
  std::vector<uint8_t> levels;
  for (const PatchStore* store : stores) {
    ADA_CHECK(
        store->has_strengths(),
        "[train] {}: does not say how strongly its views were changed - make it again with `data images` or `data "
        "synth`, or train without --informativeness strength",
        store->folder().string());
    float strongest = 0;
    for (int64_t i = 0; i < store->patch_count(); ++i) strongest = std::max(strongest, store->strength(i));
    for (int64_t i = 0; i < store->patch_count(); ++i) {
      const double share = strongest > 0 ? static_cast<double>(store->strength(i)) / strongest : 0;
      levels.push_back(static_cast<uint8_t>(
          std::min(static_cast<int64_t>(share * static_cast<double>(kStrengthLevels)), kStrengthLevels - 1)));
    }
  }
  return levels;
}

BatchLoader::BatchLoader(std::vector<const PatchStore*> stores, const LoaderOptions& options)
    : stores_(std::move(stores)), options_(options), pools_(make_pools(stores_, options)) {
  int64_t patches = 0;
  for (const PatchStore* store : stores_) {
    class_count_ += store->class_count();
    first_patch_.push_back(patches);
    patches += store->patch_count();
  }
  if (options_.levels) levels_ = strength_levels(stores_);
}

std::vector<ClassPool> make_pools(const std::vector<const PatchStore*>& stores, const LoaderOptions& options) {
  ADA_ASSERT(!stores.empty() && options.batch >= 2 && options.k >= 2 && options.size * options.size <= kLargestPatch);
  int64_t class_count = 0;
  for (const PatchStore* store : stores) {
    ADA_CHECK(store->patch_size() == options.size || store->patch_size() == 2 * options.size,
              "[train] {0}: patches are {1}x{1}, training reads {2}x{2} (or {3}x{3}, halved)", store->folder().string(),
              store->patch_size(), options.size, 2 * options.size);
    class_count += store->class_count();
  }
  if (options.shares.empty()) {
    ADA_CHECK(options.batch <= class_count,
              "[train] --batch {} is larger than the number of classes, {} - a batch holds distinct classes; use a "
              "smaller batch or more data",
              options.batch, class_count);
    return {{0, class_count, options.batch}};
  }
  ADA_ASSERT(options.shares.size() == stores.size());
  const std::vector<int64_t> slots = deal_out(options.batch, options.shares);
  std::vector<ClassPool> pools;
  int64_t first = 0;
  for (size_t s = 0; s < stores.size(); ++s) {
    const int64_t classes = stores[s]->class_count();
    ADA_CHECK(
        slots[s] <= classes,
        "[train] {}: its share of the batch, {} classes, is more than the {} it has - lower --batch or its --share",
        stores[s]->folder().string(), slots[s], classes);
    ADA_CHECK(slots[s] > 0 || options.shares[s] == 0,
              "[train] {}: its share comes to less than one class of a batch of {} - raise --batch or its --share",
              stores[s]->folder().string(), options.batch);
    if (slots[s] > 0) pools.push_back({first, classes, slots[s]});
    first += classes;
  }
  return pools;
}

const uint8_t* patch_at_training_size(const PatchStore& store, int64_t index, uint8_t* half, int size) {
  const uint8_t* patch = store.patch(index).data();
  if (store.patch_size() == size) return patch;
  halve_patch(patch, half, size);
  return half;
}

std::vector<int64_t> deal_out(int64_t total, const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  ADA_ASSERT(sum > 0);
  std::vector<int64_t> dealt;
  std::vector<std::pair<double, size_t>> remainders;  // negative, so that the largest sorts first
  for (const double share : shares) {
    const double exact = static_cast<double>(total) * share / sum;
    dealt.push_back(static_cast<int64_t>(exact));
    remainders.emplace_back(static_cast<double>(dealt.back()) - exact, remainders.size());
  }
  std::sort(remainders.begin(), remainders.end());
  int64_t left = total - std::accumulate(dealt.begin(), dealt.end(), int64_t{0});
  for (size_t i = 0; left > 0; ++i, --left) ++dealt[remainders[i].second];
  return dealt;
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
  const int64_t n = options_.slots(), k = options_.k;
  const auto t = static_cast<uint64_t>(iteration);
  Batch batch{
      at::empty({n, k, options_.size, options_.size}, at::TensorOptions(at::kByte).pinned_memory(options_.pinned)),
      at::empty({n}, at::kLong), at::empty({n}, at::kLong)};
  if (options_.levels) batch.levels = at::zeros({n, k}, at::TensorOptions(at::kLong).pinned_memory(options_.pinned));
  if (options_.patch_numbers) batch.patch_numbers = at::empty({n, k}, at::kLong);
  int64_t first = 0;
  for (size_t p = 0; p < pools_.size(); ++p) {
    const ClassPool& pool = pools_[p];
    const RngKey key = RngKey(options_.seed, Draw::kClasses).at(t);
    const FeistelPermutation draw(static_cast<uint64_t>(pool.classes), p == 0 ? key : key.at(p));
    const auto fill_one = [&](int64_t i) {
      fill_slot(batch, first + i - options_.first,
                pool.first_class + static_cast<int64_t>(draw.image(static_cast<uint64_t>(i))), t);
    };
    const int64_t begin = std::clamp<int64_t>(options_.first - first, 0, pool.slots);
    const int64_t end = std::clamp<int64_t>(options_.first + n - first, 0, pool.slots);
    if (options_.pinned) {  // a GPU does not wait for one core, and leaves the others idle
      parallel_for(end - begin, [&](int64_t i) { fill_one(begin + i); });
    } else {
      for (int64_t i = begin; i < end; ++i) fill_one(i);
    }
    first += pool.slots;
  }
  for (const PatchStore* store : stores_) store->check_intact();
  return batch;
}

void BatchLoader::fill_slot(Batch& batch, int64_t j, int64_t name, uint64_t iteration) const {
  const int64_t k = options_.k;
  int64_t c = name;
  size_t s = 0;
  while (c >= stores_[s]->class_count()) c -= stores_[s++]->class_count();
  const PatchStore& store = *stores_[s];
  const int64_t size = store.class_size(c), count = std::min(size, k);
  const auto key = [&](Draw draw) { return RngKey(options_.seed, draw).at(iteration).at(static_cast<uint64_t>(name)); };
  const FeistelPermutation subset(static_cast<uint64_t>(size), key(Draw::kSubset));
  const auto flip = options_.flips ? static_cast<unsigned>(key(Draw::kFlip).bits() >> 60) : 0u;
  const int64_t pixels = int64_t{options_.size} * options_.size;
  auto* out = batch.patches.data_ptr<uint8_t>() + j * k * pixels;
  int64_t* numbers = options_.patch_numbers ? batch.patch_numbers.data_ptr<int64_t>() + j * k : nullptr;
  for (int64_t slot = 0; slot < k; ++slot, out += pixels) {
    if (slot >= count) {
      std::memcpy(out, out - slot * pixels, static_cast<size_t>(pixels));
      if (numbers) numbers[slot] = numbers[0];
      continue;
    }
    const int64_t member = size <= k ? slot : static_cast<int64_t>(subset.image(static_cast<uint64_t>(slot)));
    std::array<uint8_t, kLargestPatch> half;
    const int64_t index = store.class_begin(c) + member;
    const uint8_t* patch = patch_at_training_size(store, index, half.data(), options_.size);
    if (numbers) numbers[slot] = first_patch_[s] + index;
    if (options_.levels) {
      batch.levels.data_ptr<int64_t>()[j * k + slot] = levels_[static_cast<size_t>(first_patch_[s] + index)];
    }
    if (flip == 0) {
      std::memcpy(out, patch, static_cast<size_t>(pixels));
    } else {
      flip_patch(patch, out, options_.size, flip);
    }
  }
  batch.counts.data_ptr<int64_t>()[j] = count;
  batch.classes.data_ptr<int64_t>()[j] = name;
}

}  // namespace adasample
