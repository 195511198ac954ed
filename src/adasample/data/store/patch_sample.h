// SPDX-License-Identifier: Apache-2.0
// A few patches of many, in memory: what a check of engines and a calibration look at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace adasample {

struct PatchSample {
  static constexpr int64_t kMost = 1'000'000;

  int size = 0;
  int64_t count = 0;
  std::vector<uint8_t> pixels = {};  // (count, size, size)
  bool paired = false;               // patches 2c and 2c + 1 show one point, and no others do
};

// Up to `count` (2 to kMost) patches, spread evenly over a patch store or a .npy file of patches. Of a store: pairs,
// the first two patches of each of count / 2 classes.
PatchSample sample_patches(const std::filesystem::path& path, int64_t count);

// `count` tiles of procedural scenes, 32x32: texture where no file is at hand.
PatchSample made_up_patches(int64_t count, uint64_t seed);

}  // namespace adasample
