// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/patch_stores.h"

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/data/store/provenance.h"

namespace adasample {

PatchStores::PatchStores(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) stores_.push_back(PatchStore::open(folder));
}

std::vector<const PatchStore*> PatchStores::pointers() const {
  std::vector<const PatchStore*> all;
  for (const PatchStore& store : stores_) all.push_back(&store);
  return all;
}

PatchStore open_validation_store(const std::string& folder, const PatchStores& data) {
  PatchStore val = PatchStore::open(folder);
  for (const PatchStore* store : data.pointers()) {
    ADA_CHECK(!share_scenes(store->meta(), val.meta()),
              "[train] {} and {} show the same scenes, so validation would not be held out - make one of other scenes "
              "(--part heldout; of HPatches, the test part of the same split)",
              store->folder().string(), folder);
  }
  ADA_CHECK(val.class_count() >= 2, "[train] {}: one class only; validation needs other classes for its negatives",
            folder);
  ADA_CHECK(val.patch_size() == kPatchSize || val.patch_size() == 2 * kPatchSize,
            "[train] {}: patches are {}x{}, validation reads 32x32 (or 64x64, halved)", folder, val.patch_size(),
            val.patch_size());
  return val;
}

}  // namespace adasample
