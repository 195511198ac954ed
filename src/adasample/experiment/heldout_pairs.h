// SPDX-License-Identifier: Apache-2.0
// Pairs of a store that a training does not see, drawn once, for any number of descriptors to be scored on.
#pragma once

#include <string>

#include "adasample/data/patch_store.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/model/descriptor.h"

namespace adasample {

class HeldoutPairs {
 public:
  // The store must outlive the object.
  HeldoutPairs(const PatchStore& store, const PairOptions& options)
      : store_(store), pairs_(draw_pairs(store, options)) {}

  struct Scored {
    PairScores scores;
    std::string curves;  // curves.json of a run, under `name`
  };
  Scored score(Descriptor& descriptor, const std::string& name) const;

 private:
  const PatchStore& store_;
  PatchPairs pairs_;
};

}  // namespace adasample
