// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/patch_sample.h"

#include <algorithm>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/data/patch_store.h"
#include "adasample/image/scenes/dead_leaves.h"

namespace adasample {
namespace {

void validate(int64_t count) {
  ADA_USAGE(count >= 2 && count <= PatchSample::kMost, "count = {}, must be in [2, {}]", count, PatchSample::kMost);
}

void append(PatchSample& sample, const PatchArray& patches, int64_t index) {
  const std::span<const uint8_t> patch = patches.patch(index);
  sample.pixels.insert(sample.pixels.end(), patch.begin(), patch.end());
  ++sample.count;
}

PatchSample sample_store(const PatchStore& store, int64_t count) {
  PatchSample sample{.size = store.patch_size(), .paired = true};
  const int64_t classes = std::min(count / 2, store.class_count());
  for (int64_t i = 0; i < classes; ++i) {
    const int64_t first = store.class_begin(i * store.class_count() / classes);
    for (const int64_t patch : {first, first + 1}) append(sample, store.patches(), patch);
  }
  store.check_intact();
  return sample;
}

}  // namespace

PatchSample sample_patches(const std::filesystem::path& path, int64_t count) {
  validate(count);
  if (std::filesystem::is_directory(path)) return sample_store(PatchStore::open(path), count);
  const PatchArray patches(path);
  PatchSample sample{.size = patches.size()};
  const int64_t taken = std::min(count, patches.count());
  for (int64_t i = 0; i < taken; ++i) append(sample, patches, i * patches.count() / taken);
  patches.check_intact();
  return sample;
}

PatchSample made_up_patches(int64_t count, uint64_t seed) {
  validate(count);
  PatchSample sample{.size = kPatchSize, .count = count};
  for (uint64_t scene = 0; std::ssize(sample.pixels) < count * kPatchSize * kPatchSize; ++scene) {
    const GrayImage image = dead_leaves_scene(RngKey(seed, Draw::kScene).at(0).at(scene));
    for (int top = 0; top + kPatchSize <= image.height; top += kPatchSize) {
      for (int left = 0; left + kPatchSize <= image.width; left += kPatchSize) {
        for (int y = top; y < top + kPatchSize; ++y) {
          for (int x = left; x < left + kPatchSize; ++x) sample.pixels.push_back(to_byte(image.at(x, y)));
        }
      }
    }
  }
  sample.pixels.resize(static_cast<size_t>(count * kPatchSize * kPatchSize));
  return sample;
}

}  // namespace adasample
