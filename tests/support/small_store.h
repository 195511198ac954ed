// SPDX-License-Identifier: Apache-2.0
// A patch store of smooth random patches, views of a class differing by noise: quick to make, possible to learn.
#pragma once

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/data/patch_store.h"

namespace adasample::testing {

inline PatchStore small_store(const std::filesystem::path& folder, int64_t classes, int views, int size = 32) {
  PatchStoreWriter writer(folder, size);
  const size_t pixels = static_cast<size_t>(size) * static_cast<size_t>(size);
  for (int64_t c = 0; c < classes; ++c) {
    RngStream rng(RngKey(99, Draw::kScene).at(static_cast<uint64_t>(c)));
    double wave[4][4];
    for (auto& w : wave) {
      for (double& x : w) x = rng.uniform(-1, 1);
    }
    std::vector<uint8_t> patches(static_cast<size_t>(views) * pixels);
    for (size_t i = 0; i < patches.size(); ++i) {
      const double x = static_cast<double>(i % pixels % static_cast<size_t>(size));
      const double y = static_cast<double>(i % pixels / static_cast<size_t>(size));
      double v = 128;
      for (const auto& w : wave) v += 40 * w[0] * std::sin(0.5 * w[1] * x + 0.5 * w[2] * y + 3 * w[3]);
      v += rng.uniform(-10, 10);
      patches[i] = static_cast<uint8_t>(std::min(255.0, std::max(0.0, v)));
    }
    writer.add_class(patches);
  }
  writer.finish({{"source", "test"}});
  return PatchStore::open(folder);
}

}  // namespace adasample::testing
