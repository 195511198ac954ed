// SPDX-License-Identifier: Apache-2.0
// The stores that one training reads: opened together, held together, and the one it is validated on.
#pragma once

#include <string>
#include <vector>

#include "adasample/data/patch_store.h"

namespace adasample {

class PatchStores {
 public:
  // Throws what PatchStore::open throws about the first folder that is no sound store.
  explicit PatchStores(const std::vector<std::string>& folders);

  // In the order of the folders. They stay where they are for as long as this object lives, also when it is moved.
  std::vector<const PatchStore*> pointers() const;

 private:
  std::vector<PatchStore> stores_;
};

// A store to validate a training on `data` with. Throws Error when it shows scenes that `data` shows, has no second
// class for negatives, or has patches of a size that the network does not take.
PatchStore open_validation_store(const std::string& folder, const PatchStores& data);

}  // namespace adasample
