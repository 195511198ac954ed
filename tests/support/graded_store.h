// SPDX-License-Identifier: Apache-2.0
// The patches of small_store() in a store that says how strongly each view was changed: by its place in the class.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/support/small_store.h"

namespace adasample::testing {

inline PatchStore graded_store(const std::filesystem::path& folder, int64_t classes, int views) {
  const PatchStore plain = small_store(std::filesystem::path(folder) += "-plain", classes, views);
  PatchStoreWriter writer(folder, plain.patch_size());
  for (int64_t c = 0; c < classes; ++c) {
    std::vector<uint8_t> patches;
    std::vector<float> strengths;
    for (int64_t v = 0; v < views; ++v) {
      const auto patch = plain.patch(plain.class_begin(c) + v);
      patches.insert(patches.end(), patch.begin(), patch.end());
      strengths.push_back(static_cast<float>(v));
    }
    writer.add_class(patches, strengths);
  }
  writer.finish({{"source", "test"}});
  return PatchStore::open(folder);
}

}  // namespace adasample::testing
