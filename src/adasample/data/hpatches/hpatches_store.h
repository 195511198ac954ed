// SPDX-License-Identifier: Apache-2.0
// A patch store from HPatches: a class a patch index, its patches (16) in the order of the strips, resized as HardNet's
// training set is: 65 to 64 pixels, then, for 32, to the 2 x 2 mean (image/resize.h). Other readers that go straight
// from 65 to 32 get other pixels.
#pragma once

#include <filesystem>

#include "adasample/data/hpatches/hpatches.h"

namespace adasample {

struct HpatchesStoreOptions {
  HpatchesChoice choice;
  int patch_size = 32;  // pixels; or 64

  void validate() const;
};

// Writes the store to `out`, which must not exist: the chosen sequences one after another. meta.json names them under
// "scenes".
void make_hpatches_store(const std::filesystem::path& root, const HpatchesSplits& splits,
                         const HpatchesStoreOptions& options, const std::filesystem::path& out);

}  // namespace adasample
