// SPDX-License-Identifier: Apache-2.0
// A picture of a patch store: a row a class, its patches side by side.
#pragma once

#include <cstdint>

#include "adasample/data/patch_store.h"
#include "adasample/image/image.h"

namespace adasample {

struct ContactSheetOptions {
  int classes = 24;
  int patches_per_class = 16;  // at most; a larger class is shown by its first and last and an even choice between
  bool random = true;          // distinct classes drawn by `seed`; false: the first ones
  uint64_t seed = 0;
  int gap = 2;  // pixels between patches, white

  void validate() const;
};

GrayImage contact_sheet(const PatchStore& store, const ContactSheetOptions& options = {});

}  // namespace adasample
